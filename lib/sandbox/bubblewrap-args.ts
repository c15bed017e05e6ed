import { DEVICES } from './device-nodes.ts';
import type { HostSystem } from './host-system.ts';
import type { CommandLimits } from './sandbox.ts';

/** The mount point of the workspace, so that host paths never appear in prompts or results. */
export const SANDBOX_WORKSPACE = '/workspace';

/** Small files in /etc that programs expect. The user's name and ID are the same on every machine. */
export const ETC_FILES = {
  passwd: 'agent:x:1000:1000:agent:/tmp:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n',
  group: 'agent:x:1000:\nnogroup:x:65534:\n',
  hosts: '127.0.0.1 localhost\n::1 localhost\n',
  'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\n',
} as const;

/**
 * The descriptor for bwrap's status reports; the workspace folder, the /etc files, the filter, the check, bwrap's options
 * and the script follow in this order.
 */
export const STATUS_FD = 3;
/** For `mountCheck`, which closes it. A shell can only close single-digit descriptors. */
export const FOLDER_FD = STATUS_FD + 1;
const FIRST_ETC_FD = FOLDER_FD + 1;
const FILTER_FD = FIRST_ETC_FD + Object.keys(ETC_FILES).length;

/** Paths in the sandbox of the mount check and of a command's script. */
const CHECK_PATH = '/check';
const CHECK = ['/bin/sh', CHECK_PATH];
const SCRIPT_PATH = '/command';

/** Options that older versions of bwrap lack. */
export interface BubblewrapFeatures {
  disableUserns: boolean;
  tmpfsSize: boolean;
}

export interface BubblewrapPlan {
  host: HostSystem;
  features: BubblewrapFeatures;
  limits: CommandLimits;
  workspace: string;
  readOnly: boolean;
  /** Every `.git` in the workspace, as a relative path; each is mounted read-only. */
  protectedGit: readonly string[];
  /** The folder with our own device nodes, for a command that runs as root. */
  devices: string | undefined;
  /** Whether a system call filter is passed. */
  filter: boolean;
  /** The descriptors of the files below. */
  checkFd: number;
  scriptFd: number;
  cpuSeconds: number;
  /** Runs inside the sandbox before the command and its limits: see `mountCheck`. */
  check: string;
  argv: readonly string[];
  script: string | undefined;
}

/**
 * bwrap's options for one command. They are passed through a descriptor, because a command line is visible to every user
 * of the machine, and to the command in its own /proc/1. Anything not mounted here does not exist inside: no home, no
 * /var, no other processes, no network except its own loopback, no capabilities.
 */
export function bubblewrapOptions(plan: BubblewrapPlan): string[] {
  const { host, features, limits } = plan;
  const sized = (bytes: number) => (features.tmpfsSize ? ['--size', String(bytes)] : []);
  return [
    '--unshare-user',
    '--unshare-pid',
    '--unshare-net',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    ...(features.disableUserns ? ['--disable-userns'] : []),
    '--die-with-parent',
    '--new-session',
    '--cap-drop',
    'ALL',
    '--uid',
    '1000',
    '--gid',
    '1000',
    '--hostname',
    'sandbox',
    '--json-status-fd',
    String(STATUS_FD),
    ...(plan.filter ? ['--seccomp', String(FILTER_FD)] : []),
    ...host.mounts,
    ...Object.keys(ETC_FILES).flatMap((name, index) => [
      '--file',
      String(FIRST_ETC_FD + index),
      `/etc/${name}`,
    ]),
    '--file',
    String(plan.checkFd),
    CHECK_PATH,
    ...(plan.script === undefined ? [] : ['--file', String(plan.scriptFd), SCRIPT_PATH]),
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    ...(plan.devices === undefined
      ? []
      : Object.keys(DEVICES).flatMap((name) => ['--dev-bind', `${plan.devices}/${name}`, `/dev/${name}`])),
    ...sized(Math.ceil(limits.scratchBytes / 4)),
    '--tmpfs',
    '/dev/shm',
    ...sized(limits.scratchBytes),
    '--tmpfs',
    '/tmp',
    plan.readOnly ? '--ro-bind' : '--bind',
    plan.workspace,
    SANDBOX_WORKSPACE,
    ...plan.protectedGit.flatMap((path) => [
      '--ro-bind',
      `${plan.workspace}/${path}`,
      `${SANDBOX_WORKSPACE}/${path}`,
    ]),
    '--chdir',
    SANDBOX_WORKSPACE,
    // Otherwise files could be created in /dev and the root, which would use memory without a limit.
    '--remount-ro',
    '/proc',
    '--remount-ro',
    '/dev',
    '--remount-ro',
    '/',
  ];
}

/**
 * The command line that bwrap starts: the mount check, the limits, and the command. It is visible to every user of the
 * machine, so the check and the script are passed as files.
 */
export function confinedArgv(plan: BubblewrapPlan): string[] {
  const { prlimit } = plan.host;
  return [
    ...CHECK,
    ...(prlimit === undefined ? [] : [prlimit, ...limitArgs(plan), '--']),
    ...plan.argv,
    ...(plan.script === undefined ? [] : [SCRIPT_PATH]),
  ];
}

function limitArgs({ limits, cpuSeconds }: BubblewrapPlan): string[] {
  const both = (name: string, value: number) => `--${name}=${value}:${value}`;
  return [
    both('nproc', limits.processes),
    both('data', limits.processMemoryBytes),
    both('fsize', limits.fileBytes),
    both('nofile', limits.openFiles),
    both('cpu', cpuSeconds),
    both('core', 0),
  ];
}
