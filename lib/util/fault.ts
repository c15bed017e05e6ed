/**
 * Points at which a test makes the program fail, set by LOUPE_FAULT before the start and doing nothing otherwise:
 * `KIND:POINT#N`, the N-th time (default 1) the point is passed. Kinds: `kill` ends the process as kill -9 does,
 * `throw` throws. Points: `before:TYPE` and `after:TYPE` around each append of an event of that type;
 * `before:tool-effect` and `after:tool-effect`; `recovery` while runs are taken up after a crash.
 */
export type FaultHook = (point: string) => void;

interface Fault {
  readonly kind: string;
  readonly point: string;
  left: number;
}

const armed = parse(process.env.LOUPE_FAULT);

/** Fails here when LOUPE_FAULT says so. */
export const fault: FaultHook = (point) => {
  if (armed?.point !== point) return;
  armed.left -= 1;
  if (armed.left !== 0) return;
  if (armed.kind === 'kill') process.kill(process.pid, 'SIGKILL');
  throw new Error(`Fault at ${point} (LOUPE_FAULT)`);
};

function parse(setting: string | undefined): Fault | undefined {
  if (setting === undefined || setting === '') return undefined;
  const match = /^(kill|throw):([a-z.:-]+)(?:#([1-9]\d*))?$/.exec(setting);
  if (!match) {
    throw new Error(`LOUPE_FAULT is "${setting}"; it must look like kill:after:tool-call.started#2`);
  }
  const [, kind = '', point = '', count = '1'] = match;
  return { kind, point, left: Number(count) };
}
