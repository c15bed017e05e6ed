import { type RunEventType, runEvent } from '../events/registry.ts';

/**
 * Where a test can inject a fault: before an event of each type is appended, when it is queued for writing, and after it
 * is on disk; before and after a tool's effect; `recovery` is passed once for each run resumed after a crash.
 */
export type FaultPoint =
  | `${'before' | 'queued' | 'after'}:${RunEventType}`
  | `${'before' | 'after'}:tool-effect`
  | 'recovery';

/** Every fault point, for tests that crash at each of them. */
export const FAULT_POINTS: readonly FaultPoint[] = [
  ...runEvent.options
    .map(({ shape }) => shape.type.value)
    .flatMap((type) => [`before:${type}` as const, `queued:${type}` as const, `after:${type}` as const]),
  'before:tool-effect',
  'after:tool-effect',
  'recovery',
];

/**
 * Injects a fault at a point chosen by LOUPE_FAULT; does nothing when it is not set. Format: `KIND:POINT#N`, the N-th
 * time (default 1) the point is passed. `kill` ends the process like kill -9, `throw` throws.
 */
export type FaultHook = (point: FaultPoint) => void;

interface Fault {
  readonly kind: string;
  readonly point: string;
  left: number;
}

/** Fails here if LOUPE_FAULT names this point. */
export const fault: FaultHook = createFault(process.env.LOUPE_FAULT);

/** @throws {Error} for an unknown kind or point, because a fault that never fires would prove nothing */
export function createFault(setting: string | undefined): FaultHook {
  const armed = parse(setting);
  return (point) => {
    if (armed?.point !== point) return;
    armed.left -= 1;
    if (armed.left !== 0) return;
    if (armed.kind === 'kill') process.kill(process.pid, 'SIGKILL');
    throw new Error(`Fault at ${point} (LOUPE_FAULT)`);
  };
}

function parse(setting: string | undefined): Fault | undefined {
  if (setting === undefined || setting === '') return undefined;
  const match = /^(kill|throw):([a-z.:-]+)(?:#([1-9]\d*))?$/.exec(setting);
  if (!match || !FAULT_POINTS.some((known) => known === match[2])) {
    throw new Error(`LOUPE_FAULT is "${setting}"; it must look like kill:after:tool-call.started#2`);
  }
  const [, kind = '', point = '', count = '1'] = match;
  return { kind, point, left: Number(count) };
}
