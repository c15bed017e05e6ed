// Which servers run from a clone. Built-in modules only: this runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * The process IDs of the servers that run from this folder, as far as they can be seen: Node's own command line has the
 * whole path of `start.mjs` once the script has started itself again with its flags. None on Windows.
 */
export function serversRunningFrom(root) {
  const script = join(root, 'scripts', 'start.mjs');
  return processes()
    .filter(({ program, line }) => basename(program) === 'node' && line.includes(script))
    .map(({ pid }) => pid);
}

function processes() {
  if (process.platform === 'linux') return readdirSync('/proc').filter(isNumber).map(procEntry);
  const { stdout } = spawnSync('ps', ['-axo', 'pid=,args='], { encoding: 'utf8' });
  return (stdout ?? '').split('\n').map((text) => {
    const [, pid = '', program = '', line = ''] = /^\s*(\d+) (.*?node)( .*)$/.exec(text) ?? [];
    return { pid: Number(pid), program, line };
  });
}

const isNumber = (name) => /^\d+$/.test(name);

function procEntry(name) {
  const [program = '', ...rest] = commandOf(name).split('\0');
  return { pid: Number(name), program, line: rest.join(' ') };
}

function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // it has just ended
  }
}
