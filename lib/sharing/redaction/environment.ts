/** Names whose values are public or not secret by nature. */
const PLAIN =
  /^(?:PATH|PWD|OLDPWD|SHELL|LANG|LANGUAGE|LC_.*|TERM|TERM_.*|COLORTERM|EDITOR|VISUAL|PAGER|HOME|USER|LOGNAME|SHLVL|_|TZ|DISPLAY|NODE_ENV|NODE_OPTIONS|NODE_VERSION|NEXT_.*|__NEXT_.*|TURBOPACK.*|VITEST.*|npm_.*|INIT_CWD|FORCE_COLOR|NO_COLOR|CI|DEBIAN_FRONTEND|LS_COLORS|XDG_.*|OLLAMA_HOST|LOUPE_(?!TOKEN|DATABASE_URL).*)$/i;
const SECRET_NAME =
  /token|secret|passw|credential|(?<![a-z])auth(?![a-z])|(?<![a-z])(?:api|private)_?key(?![a-z])/i;
const SYSTEM_PATH = /^\/(?:usr|bin|sbin|lib|lib64|etc|opt|var|tmp|dev|run|proc|sys|nix)(?:\/|$)/;
const HOME_PATH = /^(?:\/home\/|\/Users\/|\/root(?:\/|$)|[A-Za-z]:\\Users\\)/;
const KEY_LIKE = /token|secret|passw|pwd|key|auth|credential|dsn|conn/i;

/**
 * The values of an environment that must be redacted: long enough and not trivial. System paths are in every log, and
 * home folders are found separately.
 */
export function environmentSecrets(env: Readonly<Record<string, string | undefined>>): string[] {
  const values = Object.entries(env).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const text = value.trim();
    // `NPM_TOKEN` matches a plain pattern, and a server's URL may contain a password.
    if (PLAIN.test(name) && !SECRET_NAME.test(name)) return passwordsOf(text);
    const min = KEY_LIKE.test(name) ? 6 : 10;
    if (text.length < min || text.length > 4096) return [];
    if (/^[\d.,:\s-]+$/.test(text) && !KEY_LIKE.test(name)) return [];
    if (/^(?:true|false|production|development|localhost|disabled|enabled)$/i.test(text)) return [];
    if (SYSTEM_PATH.test(text) || HOME_PATH.test(text)) return [];
    return [text, ...passwordsOf(text)];
  });
  return [...new Set(values)];
}

/** The password in a URL, encoded and decoded. */
function passwordsOf(text: string): string[] {
  const password = URL.parse(text)?.password ?? '';
  if (password.length < 6) return [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password]; // not percent-encoded
  }
}
