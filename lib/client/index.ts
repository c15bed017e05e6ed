/** The public API of `loupe/client` (docs/api.md). */
export type { CreateRunRequest } from '../api/create-run.ts';
export type { RunSummary } from '../api/run-summary.ts';
export { AppError as LoupeError } from '../errors/app-error.ts';
export type { ProgressEvent } from '../events/progress.ts';
export type { RunEvent } from '../events/registry.ts';
export type { RunResult } from '../events/run.ts';
export type { LoupeOptions } from './http.ts';
export { type ExportFormat, type FollowOptions, Loupe, LoupeRun } from './loupe.ts';
export type { ProgressListener } from './progress-emitter.ts';
export type { RunUpdate } from './updates.ts';
