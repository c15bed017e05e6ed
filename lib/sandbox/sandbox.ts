import type { Readable, Writable } from 'node:stream';

/** The protections that the probe checks. */
type ProtectionName =
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
  | 'devices'
  | 'unprivileged-user';

export interface Protection {
  name: ProtectionName;
  holds: boolean;
  /** One sentence for the health page. */
  detail: string;
}

/** How commands are sandboxed on this machine, determined by running one. */
export interface SandboxReport {
  /** Whether commands may be offered to models (O8). */
  available: boolean;
  kind: 'bubblewrap' | 'sandbox-exec' | 'none';
  protections: readonly Protection[];
  /** Why commands are not offered. */
  reason?: string;
  /** What the user can do about it. */
  hint?: string;
}

/** Limits of one command. Sizes in bytes. */
export interface CommandLimits {
  /** Processes and threads in the sandbox. */
  processes: number;
  /** Private writable memory of one process. Node needs 600 MB to start. */
  processMemoryBytes: number;
  /** Total memory of all its processes, including shared and kernel memory where they can be counted. */
  totalMemoryBytes: number;
  /** Maximum size of a file that a command writes. */
  fileBytes: number;
  openFiles: number;
  /** Size of /tmp; /dev/shm gets a quarter of it. */
  scratchBytes: number;
  /** Files and folders in each: the kernel keeps all of them in memory, however small. */
  scratchFiles: number;
  /** The command is killed after this much output, both streams combined. */
  outputBytes: number;
  /** How much to keep of the start and of the end of each stream. */
  keptBytes: number;
  /** The command is killed if the workspace's file system has less free space than this, unless it is mounted read-only. */
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
  scratchFiles: 100_000,
  outputBytes: 8 * MB,
  keptBytes: 32 * 1024,
  minFreeDiskBytes: 256 * MB,
};

export interface ConfinedCommand {
  /** Canonical path of the workspace; `/workspace` inside. */
  workspace: string;
  argv: readonly [string, ...string[]];
  /**
   * The text of a script, whose path becomes the last argument. Unlike an argument, it is not visible in process lists.
   * Must not contain NUL characters.
   */
  script?: string;
  /** The text of a file that is not a script, passed in the same way. Not together with `script`. */
  input?: string;
  /** Wall-clock limit, counted from the start of the process. */
  timeoutMs: number;
  /** Mounts the workspace read-only. */
  readOnly?: boolean;
  signal?: AbortSignal;
  /** Output as it arrives, cleaned of control sequences. */
  onOutput?: (text: string, stream: 'stdout' | 'stderr') => void;
  limits?: Partial<CommandLimits>;
}

/** Why a command ended. All values except `exited` mean that it was killed with all its children. */
export type CommandEnd =
  | 'exited'
  | 'timeout'
  | 'stopped'
  | 'output_limit'
  | 'memory_limit'
  | 'scratch_limit'
  | 'process_limit'
  | 'disk_full';

/** One stream of a command; only its start and end if it was long. */
export interface CapturedOutput {
  text: string;
  totalBytes: number;
  /** Bytes omitted from the middle. */
  omittedBytes: number;
  /** The range of the line that says so, including the line breaks around it. */
  omittedAt?: { from: number; to: number };
}

export interface CommandOutcome {
  end: CommandEnd;
  /** `undefined` if the command was killed. 128 + n if signal n ended it. */
  exitCode: number | undefined;
  stdout: CapturedOutput;
  stderr: CapturedOutput;
  durationMs: number;
}

/** The outcome of a command that was stopped before its turn. */
export function neverStarted(): CommandOutcome {
  const nothing = { text: '', totalBytes: 0, omittedBytes: 0 };
  return { end: 'stopped', exitCode: undefined, stdout: nothing, stderr: nothing, durationMs: 0 };
}

/** A folder that a server may reach, at the same path as outside. */
export interface ServerFolder {
  /** Canonical, from `openWorkspace`. */
  path: string;
  access: 'read' | 'write';
}

/** A long-running program that talks over its standard streams. */
export interface ConfinedServer {
  argv: readonly [string, ...string[]];
  /** Canonical. Missing: its home folder. */
  cwd?: string | undefined;
  /** Added to PATH, HOME and LANG. */
  env: Readonly<Record<string, string>>;
  folders: readonly ServerFolder[];
  /** Whether it has this machine's network, with all ports of this machine; otherwise none at all. */
  network: boolean;
  /** Its own folder, which stays between starts. Canonical. */
  home: string;
}

/** How a server ended on its own or was killed for exceeding a limit. */
export interface ServerEnd {
  end: CommandEnd;
  /** `undefined` if it was killed. 128 + n if signal n ended it. */
  exitCode: number | undefined;
}

/** A running server; none of its processes outlives `ended`. */
export interface ServerProcess {
  stdin: Writable;
  stdout: Readable;
  stderr: Readable;
  /** Resolves when all its processes are gone. Never rejects. */
  ended: Promise<ServerEnd>;
  /** Kills it with everything it started. May be called repeatedly. */
  kill(): void;
}

/** Runs commands, one at a time per workspace; none of its processes outlives `run`. */
export interface Sandbox {
  readonly report: SandboxReport;
  /** The workspace's path as commands see it. */
  readonly workspacePath: (workspace: string) => string;
  /** ripgrep inside the sandbox; `undefined` if it is not installed. */
  readonly ripgrep: string | undefined;
  /** @throws {AppError} if the command could not be started; a failing command is an outcome. */
  run(command: ConfinedCommand): Promise<CommandOutcome>;
  /** Starts a server of the Model Context Protocol. @throws {AppError} if it could not be started */
  startServer(server: ConfinedServer): Promise<ServerProcess>;
}
