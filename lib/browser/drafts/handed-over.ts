import type { RunDraft } from './run-draft.ts';

let handed: Partial<RunDraft> | undefined;

/**
 * Hands what is filled in on one page over to the form that opens next. Not in the address, because another site could link
 * to an address that names a folder of this machine.
 */
export function handOver(draft: Partial<RunDraft> | undefined): void {
  handed = draft;
}

/** What was handed over, until `handOver(undefined)`. */
export function handedOver(): Partial<RunDraft> | undefined {
  return handed;
}
