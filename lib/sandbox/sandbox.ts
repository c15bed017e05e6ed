/** What the probe looks at. One name, one promise about commands. */
export type ProtectionName =
  | 'filesystem'
  | 'network'
  | 'environment'
  | 'process-tree'
  | 'capabilities'
  | 'system-calls'
  | 'namespaces'
  | 'process-count'
  | 'memory'
  | 'file-size'
  | 'open-files'
  | 'cpu-time'
  | 'scratch-size'
  | 'unprivileged-user';

export interface Protection {
  name: ProtectionName;
  holds: boolean;
  /** One sentence for the health panel. */
  detail: string;
}

/** How commands are confined on this machine, found out by running one. */
export interface SandboxReport {
  /** Whether commands may be offered to a model at all (O8). */
  available: boolean;
  kind: 'bubblewrap' | 'sandbox-exec' | 'none';
  protections: readonly Protection[];
  /** Why commands are not offered. */
  reason?: string;
  /** What a person can do about it. */
  hint?: string;
}

/** Limits of one command. Sizes in bytes. */
export interface CommandLimits {
  /** Processes and threads in the sandbox. */
  processes: number;
  /** Private writable memory of one process. Node 24 needs 640 MB to start. */
  processMemoryBytes: number;
  /** Resident memory of all its processes together. */
  totalMemoryBytes: number;
  /** Largest file a command may write. */
  fileBytes: number;
  openFiles: number;
  /** Size of /tmp; /dev/shm gets a quarter of it. */
  scratchBytes: number;
  /** Output after which the command is killed, both streams together. */
  outputBytes: number;
  /** Kept of each stream: this much of its beginning and this much of its end. */
  keptBytes: number;
  /** Free space of the workspace's file system below which a command is killed. */
  minFreeDiskBytes: number;
}

const MB = 1024 * 1024;

export const DEFAULT_LIMITS: CommandLimits = {
  processes: 128,
  processMemoryBytes: 2048 * MB,
  totalMemoryBytes: 4096 * MB,
  fileBytes: 256 * MB,
  openFiles: 1024,
  scratchBytes: 256 * MB,
  outputBytes: 8 * MB,
  keptBytes: 32 * 1024,
  minFreeDiskBytes: 256 * MB,
};

export interface ConfinedCommand {
  /** Canonical path of the workspace; `/workspace` inside. */
  workspace: string;
  argv: readonly [string, ...string[]];
  /** Wall-clock limit, counted from the start of the process. */
  timeoutMs: number;
  /** Mounts the workspace read-only. */
  readOnly?: boolean;
  signal?: AbortSignal;
  /** Output as it arrives, cleaned of control sequences. */
  onOutput?: (text: string, stream: 'stdout' | 'stderr') => void;
  limits?: Partial<CommandLimits>;
}

/** Why a command is over. Everything but `exited` means that it was killed with all its children. */
export type CommandEnd =
  | 'exited'
  | 'timeout'
  | 'stopped'
  | 'output_limit'
  | 'memory_limit'
  | 'process_limit'
  | 'disk_full';

/** One stream of a command: its beginning and its end when it was long. */
export interface CapturedOutput {
  text: string;
  totalBytes: number;
  /** Bytes left out in the middle. */
  omittedBytes: number;
}

export interface CommandOutcome {
  end: CommandEnd;
  /** `undefined` when the command was killed. 128 + n when signal n ended it. */
  exitCode: number | undefined;
  stdout: CapturedOutput;
  stderr: CapturedOutput;
  durationMs: number;
}

/** The outcome of a command whose turn came after it was stopped. */
export function neverStarted(): CommandOutcome {
  const nothing = { text: '', totalBytes: 0, omittedBytes: 0 };
  return { end: 'stopped', exitCode: undefined, stdout: nothing, stderr: nothing, durationMs: 0 };
}

/** A place where commands run. One command at a time per workspace; none of its processes outlives `run`. */
export interface Sandbox {
  readonly report: SandboxReport;
  /** The workspace's path as commands see it. */
  readonly workspacePath: (workspace: string) => string;
  /** ripgrep as commands see it; `undefined` where it is not installed. */
  readonly ripgrep: string | undefined;
  /** @throws {AppError} when the command could not be started; a failing command is an outcome. */
  run(command: ConfinedCommand): Promise<CommandOutcome>;
}
