/** An event as the columns of its table. */
export interface EventRow {
  seq: number;
  type: string;
  at: number;
  body: string;
}
