/** How often a page asks about work that the server is doing, in milliseconds: while it is under way, and otherwise. */
export const RUNNING_MS = 500;
export const IDLE_MS = 5000;
