import type { HostSystem } from './host-system.ts';
import { serverMark } from './leftover-commands.ts';
import type { CommandLimits } from './sandbox.ts';

/** Where the workspace is mounted: host paths never show up in prompts or results. */
export const SANDBOX_WORKSPACE = '/workspace';

/** Small files of /etc that programs look for. The user's name and number are the same on every machine. */
export const ETC_FILES = {
  passwd: 'agent:x:1000:1000:agent:/tmp:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n',
  group: 'agent:x:1000:\nnogroup:x:65534:\n',
  hosts: '127.0.0.1 localhost\n::1 localhost\n',
  'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\n',
} as const;

/** Descriptor on which bwrap reports; the workspace's folder, the files of /etc and the filter follow it, in this order. */
export const STATUS_FD = 3;
/** For `mountCheck`, which closes it. A shell can close a descriptor of one digit only. */
export const FOLDER_FD = STATUS_FD + 1;
const FIRST_ETC_FD = FOLDER_FD + 1;
const FILTER_FD = FIRST_ETC_FD + Object.keys(ETC_FILES).length;

/** Options that older versions of bwrap don't know. */
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
  /** Every `.git` in the workspace, relative to it: each is shown read-only as a whole. */
  protectedGit: readonly string[];
  /** Whether a system call filter is passed. */
  filter: boolean;
  cpuSeconds: number;
  /** Runs inside before the command and its limits: see `mountCheck`. */
  check: readonly string[];
  argv: readonly string[];
}

/**
 * The arguments of bwrap for one command. Everything that is not named here does not exist inside: no home, no /var,
 * no other process, no network but its own loopback, no capability.
 */
export function bubblewrapArgs(plan: BubblewrapPlan): string[] {
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
    ...serverMark(),
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
    '--proc',
    '/proc',
    '--dev',
    '/dev',
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
    // Without these, files could be made in /dev and in the root: both are memory without a limit.
    '--remount-ro',
    '/proc',
    '--remount-ro',
    '/dev',
    '--remount-ro',
    '/',
    '--',
    ...plan.check,
    ...(host.prlimit === undefined ? [] : [host.prlimit, ...limitArgs(plan), '--']),
    ...plan.argv,
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
