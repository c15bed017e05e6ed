import { DEVICES } from './device-nodes.ts';
import type { HostSystem } from './host-system.ts';
import type { CommandLimits } from './sandbox.ts';
import { SANDBOX_WORKSPACE } from './workspace-path.ts';

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

/**
 * Paths in the sandbox of the mount check and of a command's script. Servers get their folders at the paths that they have
 * outside, so the check has a name that no folder has: a file at `/check` would leave no room for `/check/notes`.
 */
const CHECK_PATH = '/.loupe-check';
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

/** What the sandboxes of commands and of servers have in common. */
type ConfinementPlan = Pick<
  BubblewrapPlan,
  'host' | 'features' | 'limits' | 'devices' | 'filter' | 'checkFd'
> & {
  /** Whether the sandbox has this machine's network instead of an empty one. */
  network?: boolean;
};

/** The options that isolate a sandbox, and mount the system and its own empty folders. */
function confinement(plan: ConfinementPlan): string[] {
  const { host, features, limits } = plan;
  const sized = (bytes: number) => (features.tmpfsSize ? ['--size', String(bytes)] : []);
  return [
    '--unshare-user',
    '--unshare-pid',
    ...(plan.network ? [] : ['--unshare-net']),
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
  ];
}

/** Otherwise files could be created in /dev and the root, which would use memory without a limit. */
const SEALED = ['--remount-ro', '/proc', '--remount-ro', '/dev', '--remount-ro', '/'];

/**
 * bwrap's options for one command. They are passed through a descriptor, because a command line is visible to every user
 * of the machine, and to the command in its own /proc/1. Anything not mounted here does not exist inside: no home, no
 * /var, no other processes, no network except its own loopback, no capabilities.
 */
export function bubblewrapOptions(plan: BubblewrapPlan): string[] {
  return [
    ...confinement(plan),
    ...(plan.script === undefined ? [] : ['--file', String(plan.scriptFd), SCRIPT_PATH]),
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
    ...SEALED,
  ];
}

/** A folder that a server may reach, at the same path as outside. */
export interface MountedFolder {
  /** Canonical. */
  path: string;
  access: 'read' | 'write';
  /** Every `.git` in a folder to write to, as a relative path; each is mounted read-only. */
  protectedGit: readonly string[];
}

/** Home folder of servers inside the sandbox. */
export const SERVER_HOME = '/home/server';

export interface ServerPlan extends ConfinementPlan {
  network: boolean;
  folders: readonly MountedFolder[];
  /** The folder that becomes `SERVER_HOME`; without one, home is a folder in /tmp. */
  home: string | undefined;
  cwd: string;
  env: Readonly<Record<string, string>>;
}

/** What programs need to look up names and to check certificates. */
const NETWORK_ETC = ['/etc/resolv.conf', '/etc/ssl', '/etc/ca-certificates', '/etc/pki'];

/** `nsswitch.conf` with a network. */
export const NETWORK_NSSWITCH = 'passwd: files\ngroup: files\nhosts: files dns\n';

/** The position of `nsswitch.conf` among the /etc files. */
export const NSSWITCH_INDEX = Object.keys(ETC_FILES).indexOf('nsswitch.conf');

/** bwrap's options for a long-running server: the chosen folders instead of a workspace, and the chosen environment. */
export function serverOptions(plan: ServerPlan): string[] {
  return [
    ...confinement(plan),
    ...(plan.network ? NETWORK_ETC.flatMap((path) => ['--ro-bind-try', path, path]) : []),
    ...(plan.home === undefined ? [] : ['--bind', plan.home, SERVER_HOME]),
    ...plan.folders.flatMap(({ path, access, protectedGit }) => [
      access === 'read' ? '--ro-bind' : '--bind',
      path,
      path,
      ...protectedGit.flatMap((git) => ['--ro-bind', `${path}/${git}`, `${path}/${git}`]),
    ]),
    ...Object.entries(plan.env).flatMap(([name, value]) => ['--setenv', name, value]),
    '--chdir',
    plan.cwd,
    ...SEALED,
  ];
}

/**
 * The command line that bwrap starts: the mount check, the limits, and the command. It is visible to every user of the
 * machine, so the check and the script are passed as files.
 */
export function confinedArgv(
  plan: Pick<BubblewrapPlan, 'host' | 'limits' | 'cpuSeconds' | 'argv' | 'script'>,
): string[] {
  const { prlimit } = plan.host;
  return [
    ...CHECK,
    ...(prlimit === undefined ? [] : [prlimit, ...limitArgs(plan), '--']),
    ...plan.argv,
    ...(plan.script === undefined ? [] : [SCRIPT_PATH]),
  ];
}

function limitArgs({ limits, cpuSeconds }: Pick<BubblewrapPlan, 'limits' | 'cpuSeconds'>): string[] {
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
