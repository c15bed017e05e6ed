const KB = 1024;
const MB = 1024 * KB;

/** The longest message of a server, in bytes: one line of stdout, one body, one server-sent event. */
export const MAX_MESSAGE_BYTES = 4 * MB;
/** What a server may send within `FLOOD_WINDOW_MS`. One that sends more is ended. */
export const MAX_MESSAGES_PER_WINDOW = 2000;
export const MAX_BYTES_PER_WINDOW = 32 * MB;
export const FLOOD_WINDOW_MS = 1000;

/** Max unread input in bytes, and max unanswered requests to a server's address. A server that exceeds either is stopped. */
export const MAX_UNREAD_BYTES = 16 * MB;
export const MAX_UNANSWERED_REQUESTS = 100;

/** Max values in a server's description of itself: capabilities, names and icons. */
export const MAX_INITIALIZE_VALUES = 2000;

/** How much of stderr is kept, in bytes, and shown, in characters. */
export const STDERR_BYTES = 16 * KB;
export const STDERR_SHOWN_CHARS = 4000;

/** Max tools of one server; further ones are left out. */
export const MAX_TOOLS = 200;
/** Max pages of a list. */
export const MAX_PAGES = 50;
/** A tool with a larger or deeper schema is not offered. */
export const MAX_SCHEMA_CHARS = 30_000;
export const MAX_SCHEMA_DEPTH = 24;
/** Max nodes of a schema after its references are resolved. */
export const MAX_SCHEMA_NODES = 1000;
/** Max length of the descriptions of a tool and of a parameter; longer ones are cut. */
export const MAX_DESCRIPTION_CHARS = 4000;
export const MAX_PARAMETER_CHARS = 1000;
/** Longer texts of a server about itself are cut. */
export const MAX_INSTRUCTIONS_CHARS = 4000;
export const MAX_NAME_CHARS = 200;
export const MAX_URI_CHARS = 2000;

/** Time until a server must be ready, as `npx` may have to fetch it first, and then until it must have listed its tools. */
export const START_TIMEOUT_MS = 60_000;
export const LIST_TIMEOUT_MS = 20_000;
/** How long a server may take to end after its input is closed. */
export const CLOSE_GRACE_MS = 1000;
/** How often a server that ends on its own is restarted within `RESTART_WINDOW_MS`. */
export const MAX_RESTARTS = 3;
export const RESTART_WINDOW_MS = 5 * 60_000;
/** Max servers of all runs and the Tools page together. */
export const MAX_INSTANCES = 64;

/** Max requests of a server during one call; further ones are refused without asking a person. */
export const MAX_REQUESTS_PER_CALL = 10;
/** Limits of a form that a server asks for: its message, schema, fields and options. */
export const MAX_ASKED_CHARS = 4000;
export const MAX_ASKED_SCHEMA_CHARS = 30_000;
export const MAX_ASKED_FIELDS = 30;
export const MAX_ASKED_OPTIONS = 100;
/** Limits of the messages that a server sends for the model. */
export const MAX_SAMPLE_MESSAGES = 50;
export const MAX_SAMPLE_CHARS = 50_000;
/** Progress and log messages during a call: how many are kept with it, shown live, and shown in a second. */
export const MAX_KEPT_MESSAGES = 50;
export const MAX_SHOWN_MESSAGES = 500;
export const MESSAGES_PER_SECOND = 20;
export const MAX_MESSAGE_LINE_CHARS = 500;
/** Max prompts, resources and resource templates of one server; further ones are left out. */
export const MAX_LISTED = 200;
