import { accessSync, constants, existsSync, lstatSync, readlinkSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What a sandboxed command sees of the host, read-only. */
export interface HostSystem {
  /** bwrap arguments that mount the system directories. */
  mounts: readonly string[];
  /** `PATH` inside the sandbox. */
  path: string;
  /** The tools that the sandbox needs, if installed. */
  bwrap: string | undefined;
  prlimit: string | undefined;
  setpriv: string | undefined;
  ripgrep: string | undefined;
}

const SYSTEM_PATH = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/local/sbin', '/usr/sbin', '/sbin'];

// Programs are located through these (awk, java) or start faster with them. Nothing else in /etc is visible.
const HARMLESS_ETC = ['/etc/alternatives', '/etc/ld.so.cache', '/etc/ld.so.conf', '/etc/ld.so.conf.d'];

/** Inspects the host: which system directories to mount, and where the tools are. */
export function describeHost(): HostSystem {
  const mounts: string[] = ['--ro-bind', '/usr', '/usr'];
  for (const name of ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32']) {
    const path = `/${name}`;
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat?.isSymbolicLink()) mounts.push('--symlink', readlinkSync(path), path);
    else if (stat?.isDirectory()) mounts.push('--ro-bind', path, path);
  }
  for (const path of HARMLESS_ETC) {
    if (existsSync(path)) mounts.push('--ro-bind', path, path);
  }
  const path = [...SYSTEM_PATH];
  if (existsSync('/nix/store')) {
    mounts.push('--ro-bind', '/nix/store', '/nix/store');
    if (existsSync('/run/current-system/sw/bin')) {
      mounts.push('--symlink', readlinkSync('/run/current-system'), '/run/current-system');
      path.push('/run/current-system/sw/bin');
    }
  }
  const node = nodeInstallation(path);
  if (node !== undefined) {
    mounts.push('--ro-bind', node, '/opt/node');
    path.unshift('/opt/node/bin');
  }
  return {
    mounts,
    path: path.join(':'),
    bwrap: findProgram('bwrap', [...SYSTEM_PATH, ...hostPath()]),
    prlimit: findProgram('prlimit', path),
    setpriv: findProgram('setpriv', SYSTEM_PATH),
    ripgrep: findProgram('rg', path),
  };
}

/**
 * The folder of our Node, if it is outside the system directories (nvm, fnm, a tarball) and the system has no other: `npm
 * test` should work inside. Only a folder with nothing but Node is mounted.
 */
function nodeInstallation(path: readonly string[]): string | undefined {
  if (findProgram('node', path) !== undefined) return undefined;
  const prefix = dirname(dirname(process.execPath));
  const looksRight =
    existsSync(join(prefix, 'lib/node_modules/npm')) && existsSync(join(prefix, 'include/node'));
  return looksRight && !existsSync(join(prefix, 'etc/passwd')) ? prefix : undefined;
}

function hostPath(): string[] {
  return (process.env.PATH ?? '').split(':').filter((directory) => directory.startsWith('/'));
}

function findProgram(name: string, directories: readonly string[]): string | undefined {
  return directories
    .map((directory) => join(directory, name))
    .find((candidate) => {
      if (!statSync(candidate, { throwIfNoEntry: false })?.isFile()) return false;
      try {
        accessSync(candidate, constants.X_OK);
        return true;
      } catch {
        return false; // not executable; the next directory may have one
      }
    });
}
