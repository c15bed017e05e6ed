/** One limit that can end or change a run, and how close it is. */
export interface Gauge {
  id: string;
  label: string;
  used: number;
  limit: number;
  /** Drawn as single ticks when there are few, as one scale otherwise. */
  ticks: boolean;
  /** The text beside it: `4/10`, `61 %`. */
  value: string;
  detail?: string;
  /** A mark on the scale below its end, as a share of 1: where older results are folded. */
  mark?: number;
  tone: 'calm' | 'near' | 'reached';
  /** Sequence numbers of the events that fed the counter, the latest last. */
  events?: readonly number[];
  /** The consequence of reaching the limit, in a few words. */
  outcome?: string;
  /** This is the counter that ended the run. */
  fired?: boolean;
}
