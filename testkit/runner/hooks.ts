type Hook = () => unknown;

/** Runs after the last file of this worker process: resources that files share are released here. */
export const workerEnds: Hook[] = [];

/** Runs after each file, as part of its suite: an error here fails that file. */
export const fileEnds: Hook[] = [];
