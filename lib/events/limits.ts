/** Limits that server, dashboard and command line share. A setting of a run has its own in `settings.ts`. */
export const MAX_TITLE_CHARS = 200;
export const MAX_TASK_CHARS = 200_000;
export const MAX_MODEL_NAME_CHARS = 300;
export const MAX_PATH_CHARS = 4096;
/** One message of the operator to a run. */
export const MAX_MESSAGE_CHARS = 8000;
/** A model that asks for more calls has lost count, and each call may be a command. */
export const MAX_CALLS_PER_REPLY = 32;
/** Text that a viewer gets and keeps, in UTF-16 units: longer texts are cut, and the whole event can be requested. */
export const MAX_STREAMED_CHARS = 65_536;
/** Limits of an experiment: its runs in total, and what they are made of. */
export const MAX_EXPERIMENT_RUNS = 10_000;
/** More runs must be confirmed: a value too many in a list multiplies all others. */
export const MAX_UNCONFIRMED_RUNS = 1000;
export const MAX_FACTORS = 20;
export const MAX_FACTOR_VALUES = 50;
export const MAX_OPTION_SETS = 50;
export const MAX_SEEDS = 200;
export const MAX_EXPERIMENT_REPEATS = 200;
/** Limits of annotations: tags and a note. The limit of a title is `MAX_TITLE_CHARS`. */
export const MAX_TAGS = 20;
export const MAX_TAG_CHARS = 40;
export const MAX_NOTE_CHARS = 4000;
/** A score is a whole number from 0 (useless) to 10 (exactly right): thumbs down is 0, thumbs up is 10. */
export const MAX_SCORE = 10;
/** Runs that can be tagged, archived, exported or deleted in one request. */
export const MAX_SELECTED_RUNS = 200;
/** Ratings: items of a questionnaire, rated texts and their length, models that rate, and studies. */
export const MAX_QUESTIONNAIRE_ITEMS = 50;
export const MAX_RATING_SUBJECTS = 200;
export const MAX_RATED_CHARS = 20_000;
export const MAX_RATERS = 20;
/** Replies that an operator policy can have, and the longest of them and of its prompt. */
export const MAX_OPERATOR_REPLIES = 100;
export const MAX_OPERATOR_TEXT_CHARS = 16_000;
/** Components of an embedding that the log keeps. */
export const MAX_VECTOR_LENGTH = 16_384;
/** Max reflections in one similarity matrix; of more, evenly spaced ones are used. */
export const MAX_MATRIX_REFLECTIONS = 120;
/** Explorations that can be put side by side. */
export const MAX_EXPLORATIONS = 60;
/** How long deleted runs can be restored, in milliseconds. */
export const UNDO_DELETE_MS = 10_000;
/** How often a model is asked again for an answer that fits its schema. */
export const MAX_ANSWER_REQUESTS = 2;
/** The fields of a check; counts are of calls and iterations. */
export const CHECK_LIMITS = {
  max_text_chars: 10_000,
  max_pattern_chars: 1000,
  max_json_chars: 20_000,
  max_json_depth: 32,
  max_count: 1000,
} as const;
/** Runs that a comparison can take; the dashboard marks them with the letters from A. */
export const MAX_COMPARED_RUNS = 6;
/** Limits of suites: their number, their versions, and the size of each. */
export const MAX_SUITES = 200;
export const MAX_SUITE_VERSIONS = 100;
export const MAX_SUITE_NAME_CHARS = 80;
export const MAX_SUITE_CASES = 5000;
/** A suite as JSON, and the file from which it is read, in UTF-8 bytes. */
export const MAX_SUITE_BYTES = 4 * 1024 * 1024;
/** Files of one case. */
export const MAX_CASE_FILES = 200;
export const MAX_CASE_PATH_CHARS = 500;
/** The metadata of one case as JSON, in UTF-16 units. */
export const MAX_METADATA_CHARS = 65_536;
/** Texts of which an answer must contain one. */
export const MAX_TARGETS = 100;

/** Tools that one run can offer. */
export const MAX_OFFERED_TOOLS = 300;

/** Time limit of a call of an MCP server, in seconds. */
export const SERVER_CALL_SECONDS = { min: 1, max: 3600, default: 60 } as const;
/** Longest text that is read as the server configuration of another host. */
export const MAX_SERVER_CONFIG_CHARS = 200_000;

/** The largest file that a tool changes: the log keeps what it held before. */
export const MAX_KEPT_BYTES = 5 * 1024 * 1024;

/** A request body, unless its path takes a file or images. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** Limits of images that are attached or that tools return. */
export const IMAGE_LIMITS = {
  /** One file, before it is scaled down. */
  max_file_bytes: 8 * 1024 * 1024,
  /** All files that are attached to one task or message. */
  max_attached_bytes: 16 * 1024 * 1024,
  /** Width times height of a file: each pixel takes four bytes once decoded. */
  max_pixels: 40_000_000,
  /** Longest side of what is kept and sent to models. Larger images are scaled down. */
  max_side: 1280,
  /** One image as it is kept. A larger PNG becomes a JPEG. */
  max_kept_bytes: 2 * 1024 * 1024,
  /** Attached to one task or message. */
  max_attached: 4,
  /** Kept of one result of a tool. */
  max_per_result: 8,
  /** Kept of one run in total. */
  max_run_bytes: 24 * 1024 * 1024,
  /** In an exported page, or a snapshot that is shared. */
  max_exported_bytes: 8 * 1024 * 1024,
} as const;
