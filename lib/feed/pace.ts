/**
 * Shortest time between two writes of live text or events to a viewer, in milliseconds. Each write to a socket costs the
 * server more than its content does.
 */
export const PACE_MS = 10;
