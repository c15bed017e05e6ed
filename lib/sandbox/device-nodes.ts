import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, existsSync, mkdtempSync, openSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment } from './environment.ts';

/** The devices that bwrap's `--dev` takes from the host: major and minor number (Linux devices.txt). */
export const DEVICES = {
  null: [1, 3],
  zero: [1, 5],
  full: [1, 7],
  random: [1, 8],
  urandom: [1, 9],
  tty: [5, 0],
} as const;

const NAME = 'loupe-devices-';
/** The folder name contains the ID of its process. */
const OWNED = /^loupe-devices-(\d+)-/;
const MODE = 0o666;
/** Takes name, major and minor number of each node. */
const MAKE_NODES = 'while [ $# -gt 0 ]; do mknod "$1" c "$2" "$3"; shift 3; done';

/** Our own device nodes for commands that run as root, because root could change the mode of the host's. */
export interface DeviceNodes {
  /** Contains a node for each of `DEVICES`. */
  folder: string;
  /** Undoes changes by the last command. */
  reset(): void;
}

/**
 * Creates the nodes on the first file system that accepts them. `undefined` for an ordinary user, who owns none of the
 * host's nodes, and where nodes cannot be created, as in many containers. Also removes the nodes of servers that were
 * killed.
 */
export function makeDeviceNodes(
  places: readonly string[] = [tmpdir(), '/var/tmp', '/dev'],
): DeviceNodes | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
  const there = places.filter((place) => existsSync(place));
  for (const place of there) removeLeftovers(place);
  for (const place of there) {
    const folder = tryIn(place);
    if (folder === undefined) continue;
    removeAtExit(folder);
    return {
      folder,
      reset: () => setModes(folder),
    };
  }
  return undefined;
}

/** The folders of this process. */
const folders = new Set<string>();

/** One listener for all folders: a process may open many sandboxes. */
function removeAtExit(folder: string): void {
  if (folders.size === 0) {
    process.once('exit', () => {
      for (const each of folders) rmSync(each, { recursive: true, force: true });
    });
  }
  folders.add(folder);
}

function setModes(folder: string): void {
  for (const name of Object.keys(DEVICES)) chmodSync(join(folder, name), MODE);
}

function tryIn(place: string): string | undefined {
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(place, `${NAME}${process.pid}-`));
    chmodSync(folder, 0o755);
    const nodes = Object.entries(DEVICES).flatMap(([name, numbers]) => [name, ...numbers.map(String)]);
    // In one child process: each fork of the server copies its page tables, which takes milliseconds.
    execFileSync('/bin/sh', ['-ec', MAKE_NODES, 'sh', ...nodes], {
      cwd: folder,
      env: environment({}),
      stdio: 'ignore',
    });
    setModes(folder);
    // A file system mounted with `nodev` accepts the nodes but does not allow opening them.
    closeSync(openSync(join(folder, 'null'), 'r+'));
    return folder;
  } catch {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    return undefined; // the next place may accept them
  }
}

function removeLeftovers(place: string): void {
  for (const name of readdirSync(place)) {
    const owner = OWNED.exec(name)?.[1];
    if (owner !== undefined && !existsSync(`/proc/${owner}`)) {
      rmSync(join(place, name), { recursive: true, force: true });
    }
  }
}
