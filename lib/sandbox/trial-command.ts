import { AppError } from '../errors/app-error.ts';
import type { CgroupParents } from './process-cgroup.ts';
import { type BubblewrapSetup, runInBubblewrap } from './run-bubblewrap.ts';
import { DEFAULT_LIMITS, type Protection } from './sandbox.ts';

// Prints one `name=value` line per question. Plain POSIX shell, so that it runs wherever commands run.
const QUESTIONS = `
say() { printf '%s=%s\\n' "$1" "$2"; }
field() { while read -r key value; do [ "$key" = "$1:" ] && printf '%s' "$value"; done < /proc/self/status; }
limit() { while read -r line; do case "$line" in "$1"*) set -- \${line#"$1"}; printf '%s' "$1"; return;; esac; done < /proc/self/limits; }
say caps "$(field CapEff)"
say nnp "$(field NoNewPrivs)"
say filter "$(field Seccomp)"
say environ "$(tr '\\0' ' ' < /proc/1/environ)"
say interfaces "$(while read -r name rest; do case "$name" in *:*) printf '%s ' "\${name%%:*}";; esac; done < /proc/net/dev)"
(: > /usr/loupe-probe) 2>/dev/null && say usr writable || say usr fixed
(: > /loupe-probe) 2>/dev/null && say root writable || say root fixed
(: > /workspace/probe) 2>/dev/null && say workspace writable || say workspace fixed
say outside "$(ls -d /home /root /var /run /srv /mnt /media 2>/dev/null | tr '\\n' ' ')"
unshare -U true 2>/dev/null && say userns allowed || say userns refused
say nproc "$(limit 'Max processes')"
say data "$(limit 'Max data size')"
say fsize "$(limit 'Max file size')"
say nofile "$(limit 'Max open files')"
say cpu "$(limit 'Max cpu time')"
say tmp "$(df -k -P /tmp | { read -r head; read -r fs blocks rest; printf '%s' "$blocks"; })"
say shm "$(df -k -P /dev/shm | { read -r head; read -r fs blocks rest; printf '%s' "$blocks"; })"
sleep 300 >/dev/null 2>&1 &
say end reached
`;

/** Runs a command that tells what it can see and do, and judges its answers. @throws {AppError} `sandbox_failed` */
export async function tryOut(setup: BubblewrapSetup, folder: string): Promise<Protection[]> {
  const outcome = await runInBubblewrap(setup, {
    workspace: folder,
    argv: ['/bin/sh', '-c', QUESTIONS],
    timeoutMs: 10_000,
  });
  const answers = new Map<string, string>();
  for (const line of outcome.stdout.text.split('\n')) {
    const equals = line.indexOf('=');
    if (equals > 0) answers.set(line.slice(0, equals), line.slice(equals + 1).trim());
  }
  if (outcome.end !== 'exited' || answers.get('end') !== 'reached') {
    throw new AppError({
      code: 'sandbox_failed',
      message: `The trial command did not finish (${outcome.end}): ${outcome.stderr.text.slice(0, 300)}`,
    });
  }
  return judge(answers, {
    durationMs: outcome.durationMs,
    machine: process.arch,
    root: process.getuid?.() === 0,
    cgroups: setup.cgroups,
    devices: setup.devices !== undefined,
  });
}

/** The machine and the trial on it. */
interface Trial {
  durationMs: number;
  machine: string;
  root: boolean;
  cgroups: CgroupParents;
  devices: boolean;
}

/** What the command saw, by name; empty without an answer. */
type AnswerOf = (name: string) => string;

/** Its name, whether it holds, and what to say about it if it does and if it does not. */
type Judgment = [name: Protection['name'], holds: boolean, good: string, bad: string];

/**
 * Evaluates the answers of the trial command. Pure.
 *
 * @param answers what the command saw, by name
 */
export function judge(answers: ReadonlyMap<string, string>, about: Trial): Protection[] {
  const at: AnswerOf = (name) => answers.get(name) ?? '';
  return [...confinement(at, about), ...limits(at, about), ...privileges(about)].map(
    ([name, holds, good, bad]) => ({ name, holds, detail: holds ? good : bad }),
  );
}

/** What commands can see and reach. */
function confinement(at: AnswerOf, about: Trial): Judgment[] {
  // A shell that starts bwrap may add the last three.
  const environment = at('environ')
    .split(' ')
    .filter((entry) => entry !== '' && !/^(PATH|HOME|LANG|PWD|SHLVL|_)=/.test(entry));
  return [
    [
      'filesystem',
      at('usr') === 'fixed' &&
        at('root') === 'fixed' &&
        at('workspace') === 'writable' &&
        at('outside') === '',
      'Commands see the system read-only and the workspace, and nothing else.',
      `Commands could see or change more than the workspace (${at('outside')}).`,
    ],
    [
      'network',
      at('interfaces') === 'lo',
      'Commands have no network, not even to this machine.',
      `Commands could reach the network (${at('interfaces')}).`,
    ],
    [
      'environment',
      at('environ').includes('PATH=') && environment.length === 0,
      "Commands see none of the server's environment variables.",
      `Commands could read environment variables (${environment.length}).`,
    ],
    [
      'process-tree',
      about.durationMs < 10_000,
      'When a command ends, everything it started ends with it.',
      'Processes could outlive their command.',
    ],
    [
      'capabilities',
      /^0+$/.test(at('caps')) && at('nnp') === '1',
      'Commands hold no privileges and can gain none.',
      'Commands keep privileges.',
    ],
    [
      'system-calls',
      at('filter') === '2',
      'Tracing, mounts, kernel keys, io_uring and unix sockets are refused by a system call filter.',
      `There is no system call filter for ${about.machine}.`,
    ],
    [
      'namespaces',
      at('userns') === 'refused',
      'Commands cannot create namespaces.',
      'Commands could create user namespaces.',
    ],
  ];
}

/** How much commands can use. */
function limits(at: AnswerOf, about: Trial): Judgment[] {
  const limited = (name: string, most: number) => Number(at(name)) > 0 && Number(at(name)) <= most;
  return [
    [
      'process-count',
      limited('nproc', DEFAULT_LIMITS.processes) && (!about.root || about.cgroups.pids !== undefined),
      `At most ${DEFAULT_LIMITS.processes} processes.`,
      about.root
        ? 'Processes are counted and killed when there are too many, but in workspaces that root owns the kernel sets no limit: the server runs as root and cannot create control groups.'
        : 'Processes are counted and killed when there are too many, but the kernel sets no limit (prlimit is missing).',
    ],
    [
      'memory',
      limited('data', DEFAULT_LIMITS.processMemoryBytes),
      about.cgroups.memory === undefined
        ? 'Memory is limited per process. Total memory, including shared and kernel memory, is watched, and a command that uses too much is killed (no memory control group can be created here).'
        : 'Memory is limited per process and, by a control group, in total, including shared and kernel memory.',
      'Memory is only watched (prlimit is missing).',
    ],
    [
      'file-size',
      limited('fsize', DEFAULT_LIMITS.fileBytes),
      'The size of a single file is limited.',
      'The size of files is not limited (prlimit is missing).',
    ],
    [
      'open-files',
      limited('nofile', DEFAULT_LIMITS.openFiles),
      'The number of open files is limited.',
      'The number of open files is not limited (prlimit is missing).',
    ],
    [
      'cpu-time',
      limited('cpu', 3600),
      'CPU time is limited.',
      'CPU time is limited only by the time limit (prlimit is missing).',
    ],
    [
      'scratch-size',
      limited('tmp', DEFAULT_LIMITS.scratchBytes / 1024) &&
        limited('shm', DEFAULT_LIMITS.scratchBytes / 1024),
      `Temporary files are limited in size, and watched in number (${DEFAULT_LIMITS.scratchFiles}).`,
      'Temporary files could fill the memory (bubblewrap is older than 0.7).',
    ],
  ];
}

/** What depends on the user who runs the server. */
function privileges(about: Trial): Judgment[] {
  return [
    [
      'devices',
      !about.root || about.devices,
      "Commands cannot change the machine's device nodes.",
      "In workspaces that root owns, commands could change the mode of the machine's device nodes: the server runs as root and cannot create its own.",
    ],
    [
      'unprivileged-user',
      !about.root,
      'The server runs as an ordinary user.',
      "The server runs as root: commands run as the workspace's owner, or as root without privileges where root owns it.",
    ],
  ];
}
