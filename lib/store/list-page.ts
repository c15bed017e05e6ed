import type { RunFilter } from '../api/run-filter.ts';
import type { ListPosition, RunOrder } from '../api/run-order.ts';

/** Which runs to list: at most `limit` of those that pass the filter, after the end of the previous page. */
export interface ListPage {
  limit: number;
  after?: ListPosition;
  filter?: RunFilter;
  /** Default: the newest first. */
  order?: RunOrder;
  /** Lists only the newest run of each family that passes the filter. */
  oneOfFamily?: boolean;
}
