import { useCallback, useState } from 'react';
import { toApiError } from '#lib/browser/api-error.ts';
import { loadCode } from '#lib/browser/load-code.ts';
import { say } from '#lib/browser/say.ts';

/**
 * Something whose code the page loads on demand, such as a dialog.
 *
 * @param load a dynamic import; the same function in every render
 * @returns `opened`, the code and what it was opened for; `open`, which loads the code first, or reports why it could
 *   not; and `close`
 */
export function useLoaded<Code, Value>(
  load: () => Promise<Code>,
): {
  opened: { code: Code; value: Value } | undefined;
  open: (prepare: (code: Code) => Value) => void;
  close: () => void;
} {
  const [opened, setOpened] = useState<{ code: Code; value: Value }>();
  const open = useCallback(
    (prepare: (code: Code) => Value) => {
      loadCode(load).then(
        (code) => setOpened({ code, value: prepare(code) }),
        (error: unknown) => {
          const { message, hint } = toApiError(error);
          say([message, hint].filter(Boolean).join(' '));
        },
      );
    },
    [load],
  );
  const close = useCallback(() => setOpened(undefined), []);
  return { opened, open, close };
}
