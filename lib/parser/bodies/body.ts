import type { ShapeContext, Verdict } from '../call-shape.ts';
import type { Source } from '../source.ts';

/** The few ways of writing what is called and with what. Every wrapper holds one of these. */
export type BodyKind =
  | 'json'
  | 'named-json'
  | 'python'
  | 'parameters'
  | 'pairs'
  | 'map'
  | 'elements'
  | 'name';

export interface Boundary {
  at: number;
  /** It is a closer, so nothing of the call is missing. */
  closes: boolean;
}

export interface BodyContext extends ShapeContext {
  source: Source;
  /** The wrapper's next closer or opener behind an offset. Repairs reach no further. */
  boundary?: (from: number) => Boundary | undefined;
}

export interface BodyReading {
  kind: BodyKind;
  /** Offset behind the body, or where reading it failed. */
  end: number;
  /** Calls and refusals in reading order. */
  verdicts: Verdict[];
}

/** Reads one kind of body at an offset. `undefined` when there is none, so that the next kind is tried. */
export type BodyReader = (context: BodyContext, at: number) => BodyReading | undefined;
