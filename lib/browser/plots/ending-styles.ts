import type { OutcomeKind } from '../../events/termination.ts';
import type { Texture } from './textures.ts';

/** How the areas of an ending are filled. */
interface EndingStyle {
  /** The number of the plot color, `--plot-1` to `--plot-8`. */
  readonly color: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;
  readonly texture: Texture;
}

/**
 * The style of each ending, the same in every experiment. There are more endings than colors that can be told apart, so
 * the texture says what ended the run: solid if the model did, stripes for a guard or a limit, crosses for a person or a failure.
 */
export const ENDING_STYLES: Readonly<Record<OutcomeKind, EndingStyle>> = {
  answered: { color: 3, texture: 'solid' },
  answered_checks_failed: { color: 2, texture: 'solid' },
  answered_cut_off: { color: 5, texture: 'solid' },
  answered_off_schema: { color: 4, texture: 'solid' },
  announced_work_did_none: { color: 8, texture: 'solid' },
  cycles_done: { color: 6, texture: 'solid' },
  max_iterations: { color: 1, texture: 'stripes' },
  repetition: { color: 4, texture: 'stripes' },
  stall: { color: 5, texture: 'stripes' },
  nudge_exhausted: { color: 8, texture: 'stripes' },
  budget_exceeded: { color: 2, texture: 'stripes' },
  timeout: { color: 6, texture: 'stripes' },
  context_full: { color: 7, texture: 'stripes' },
  stopped: { color: 1, texture: 'crosses' },
  error: { color: 7, texture: 'crosses' },
};
