/**
 * Packages with a program of their own for each kind of machine name the builds as optional dependencies. npm leaves out
 * what a registry lacks without a word, and the start dies on the machine that is left out. Plain JavaScript, since the
 * set-up reads this before anything is installed.
 */
export const LINUX_BUILD = /(?:^|[-/])linux-(x64|arm64)(?:-gnu|-glibc)?$/;

/**
 * The packages of a lock that have builds for Linux with glibc, but not for each of these machines. A build is there when it
 * is locked, or by what `isThere` says of its place.
 * @param {{ packages: Record<string, LockedPackage> }} lock
 * @param {readonly string[]} machines such as ['x64', 'arm64']
 * @param {(place: string) => boolean} isThere
 * @returns {{ name: string, version: string, machine: string, isDev: boolean }[]}
 *
 * @typedef {{ version?: string, dev?: boolean, optionalDependencies?: Record<string, string> }} LockedPackage
 */
export function lackingBuilds({ packages }, machines, isThere = (place) => packages[place] !== undefined) {
  return Object.entries(packages).flatMap(([place, { version = '', dev = false, optionalDependencies = {} }]) => {
    const builds = Object.keys(optionalDependencies).filter((name) => LINUX_BUILD.test(name));
    const families = new Set(builds.map((name) => name.replace(LINUX_BUILD, '')));
    return [...families].flatMap((family) => {
      const found = builds.filter((name) => name.replace(LINUX_BUILD, '') === family && canLoad(place, name, isThere));
      const has = new Set(found.map((name) => LINUX_BUILD.exec(name)?.[1]));
      const lacks = machines.filter((machine) => !has.has(machine));
      const name = place === '' ? family : packageName(place);
      return lacks.map((machine) => ({ name, version, machine, isDev: dev }));
    });
  });
}

/** The name of a package from its place in a node_modules, however deep that is. */
export function packageName(place) {
  return place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/** Node looks beside the package and then in every node_modules above it. */
function canLoad(place, name, isThere) {
  for (let at = place; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/'))))
    if (isThere(`${at}/node_modules/${name}`)) return true;
  return isThere(`node_modules/${name}`);
}
