import { valueAt } from '../../util/value-at.ts';
import { getJson } from '../api.ts';

/** Fetches the full versions of truncated texts. */
export interface WholeTexts {
  /** A value of an event in full. @param path dotted, as in `cuts` @throws {ApiError} */
  value: (seq: number, path: string) => Promise<unknown>;
  /** The address of one of its texts as a file. */
  fileUrl: (seq: number, path: string) => string;
}

/** @param place returns the run's URL, such as `/api/runs/ID` or a share link; called for every request */
export function wholeTextsAt(place: () => string): WholeTexts {
  const address = (seq: number) => `${place()}/events/${seq}`;
  return {
    value: async (seq, path) => valueAt(await getJson(address(seq)), path),
    fileUrl: (seq, path) => `${address(seq)}?text=${encodeURIComponent(path)}`,
  };
}
