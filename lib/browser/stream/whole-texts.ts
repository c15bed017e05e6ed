import type { ViewEvent } from '../../api/replies.ts';
import { getJson } from '../api.ts';

/** Fetches the full versions of truncated texts. */
export interface WholeTexts {
  /** An event with all its texts in full. @throws {ApiError} */
  event: (seq: number) => Promise<ViewEvent>;
  /** The URL of one of its texts as a file. @param path dotted, as in `cuts` */
  fileUrl: (seq: number, path: string) => string;
}

/** @param place returns the run's URL, such as `/api/runs/ID` or a share link; called for every request */
export function wholeTextsAt(place: () => string): WholeTexts {
  const address = (seq: number) => `${place()}/events/${seq}`;
  return {
    event: (seq) => getJson<ViewEvent>(address(seq)),
    fileUrl: (seq, path) => `${address(seq)}?text=${encodeURIComponent(path)}`,
  };
}
