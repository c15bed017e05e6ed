import type { ViewEvent } from '../../api/stream.ts';
import { getJson } from '../api.ts';

/** Long texts are sent in part; the rest is one request away. */
export interface WholeTexts {
  /** An event with all its texts in full. @throws {ApiError} */
  event: (seq: number) => Promise<ViewEvent>;
  /** The address of one of its texts as a file. @param path dotted, as in `cuts` */
  fileUrl: (seq: number, path: string) => string;
}

/** @param place where the run is read, such as `/api/runs/ID` or a link to it; asked for with every request */
export function wholeTextsAt(place: () => string): WholeTexts {
  const address = (seq: number) => `${place()}/events/${seq}`;
  return {
    event: (seq) => getJson<ViewEvent>(address(seq)),
    fileUrl: (seq, path) => `${address(seq)}?text=${encodeURIComponent(path)}`,
  };
}
