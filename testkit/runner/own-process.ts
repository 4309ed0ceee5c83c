/**
 * Imported for its effect on the runner alone (run-files.ts): a test file that imports this gets a worker process of its own, because it looks at
 * all children of its process, kills them, or moves its clock.
 */
export {};
