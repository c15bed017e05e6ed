import { AppError } from '../errors/app-error.ts';

/** The HTTP status of each error code. Any other code is a server error: 500. */
export const STATUS: Readonly<Record<string, number>> = {
  invalid_request: 400,
  bad_last_event_id: 400,
  bad_run_file: 400,
  checks_need_tools: 400,
  no_price: 400,
  unauthorized: 401,
  sign_in_again: 401,
  foreign_host: 403,
  foreign_origin: 403,
  remote_model: 403,
  run_not_found: 404,
  experiment_not_found: 404,
  event_not_found: 404,
  approval_not_found: 404,
  call_not_found: 404,
  pull_not_found: 404,
  check_not_found: 404,
  share_not_found: 404,
  sign_in_not_found: 404,
  not_found: 404,
  method_not_allowed: 405,
  run_ended: 409,
  run_not_ended: 409,
  run_exists: 409,
  import_under_way: 409,
  already_decided: 409,
  fork_point_open: 409,
  imported_workspace: 409,
  idempotency_conflict: 409,
  too_many_messages: 409,
  model_in_use: 409,
  too_many_pulls: 409,
  check_under_way: 409,
  experiment_elsewhere: 409,
  length_required: 411,
  body_too_large: 413,
  comparison_too_large: 413,
  unsupported_media_type: 415,
  too_many_tries: 429,
  share_cannot_listen: 503,
  store_busy: 503,
  import_interrupted: 503,
  too_many_streams: 503,
  too_many_comparisons: 503,
  shutting_down: 503,
  not_started: 503,
  storage_full: 507,
  ollama_unreachable: 502,
  ollama_not_responding: 502,
  model_unreachable: 502,
  model_busy: 502,
  model_timeout: 502,
  model_bad_response: 502,
  model_http: 502,
  model_missing: 404,
  model_overflow: 409,
  model_aborted: 503,
  model_cut_off: 502,
  model_no_completion: 409,
  model_no_tool_support: 409,
  model_no_thinking_support: 409,
  model_no_thinking_levels: 409,
};

/** Recognizes an AppError by its shape, because Next bundles a second copy of the class. */
export function isAppError(error: unknown): error is AppError {
  if (error instanceof AppError) return true;
  return error instanceof Error && 'hint' in error && 'code' in error && typeof error.code === 'string';
}

export function statusOf(error: AppError): number {
  if (error.code.startsWith('workspace_')) return 400;
  return STATUS[error.code] ?? 500;
}
