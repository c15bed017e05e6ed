import type { ChatModel } from '../model/chat-model.ts';
import type { Mode } from '../modes/mode.ts';
import type { FaultHook } from './fault.ts';
import type { OpenTools } from './open-tools.ts';
import type { RunImages } from './run-images.ts';
import type { RunLog } from './run-log.ts';

export interface RunLoopOptions {
  log: RunLog;
  model: ChatModel;
  mode: Mode;
  openTools: OpenTools;
  /** The images of the run. If missing, images that tools return are left out. */
  images?: RunImages;
  /** Aborted at shutdown: running work is cancelled and nothing more is appended, so that the run can be resumed. */
  signal?: AbortSignal;
  /**
   * Called before a new iteration. Resolves to `true` if the run yielded its slot at the model server and got it
   * back, in which case the model may have been unloaded.
   */
  yieldToOthers?: () => Promise<boolean>;
  /** Called before a wait for the operator or for a server that is down: releases the run's slot there. */
  leaveSlot?: () => Promise<void>;
  /**
   * Called before the model server is used: waits for a slot, and resolves to whether others may have used the server
   * since the run left its slot; `undefined` if it has one. A stop ends the wait, and so does the signal, with its reason:
   * two concurrent waits would get two slots.
   */
  takeSlot?: (until?: AbortSignal) => Promise<boolean | undefined>;
  /**
   * Finds an approval from this or an earlier run for all calls of a tool in this run's folder. Missing if no such
   * approval can be given.
   */
  standingApproval?: (tool: string) => Promise<{ run_id: string; seq: number } | undefined>;
  /** Milliseconds since 1970, for time limits; should be monotonic. Default: the system clock. */
  clock?: () => number;
  /** Resolves after the delay, or rejects when the signal is aborted. Default: a timer. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /**
   * How long a model or tool call may take to end after a forced stop before it is abandoned, in milliseconds.
   * Default: 5000.
   */
  stopGraceMs?: number;
  /** Called before and after a tool's side effects. Default: controlled by LOUPE_FAULT. */
  fault?: FaultHook;
}
