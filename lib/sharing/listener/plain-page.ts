import { createHash } from 'node:crypto';

/** The colors and layout of the dashboard's plain pages, with system fonts. */
const STYLE = `
:root { color-scheme: light dark; background: light-dark(#f6f4f0, #141311); color: light-dark(#1f1b17, #ece7df); }
body { display: grid; align-content: center; min-height: 100vh; max-width: 28rem; margin: auto; padding: 0 1.5rem;
  box-sizing: border-box; font: 1rem/1.5 ui-sans-serif, system-ui, sans-serif; }
body::before { content: ""; width: 1.25rem; height: 1.25rem; border: 2px solid light-dark(#c48f2d, #cf9f49);
  border-radius: 50%; }
h1 { margin: 1rem 0 0.5rem; font-size: 1.375rem; line-height: 1.25; letter-spacing: -0.015em; }
p { margin: 0; color: light-dark(#544d45, #b8afa3); }
`;

/** The hash of the only style sheet, for the content security policy. */
export const PLAIN_STYLE_HASH = `sha256-${createHash('sha256').update(STYLE).digest('base64')}`;

/** A plain text page. No script, no request. */
function plainPage(title: string, text: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<h1>${title}</h1>
<p>${text}</p>
</body>
</html>
`;
}

/**
 * The same page for wrong, expired and unknown links and for every other path, so that it does not reveal which it was.
 */
export const NOTHING_HERE = plainPage(
  'There is nothing at this address.',
  'The link is incomplete, has expired, or never existed. Ask the sender for a new one.',
);

export const NO_LONGER_SHARED = plainPage(
  'This run is no longer shared.',
  'The link was revoked. Ask the sender for a new one.',
);

/** For a valid link: makes clear that the link is not the problem. */
export const ASKED_TOO_OFTEN = plainPage(
  'Too many requests',
  'This link was opened too often within a minute. It still works: try again in a minute.',
);

/** Reveals nothing about links, because it is shown to clients that guess them. */
export const TOO_MANY_WRONG = plainPage(
  'Too many requests',
  'Your network address requested too many invalid links. Working links still open. Try others in a minute.',
);

export const TOO_MANY_VIEWERS = plainPage(
  'Too many viewers',
  'This run has the maximum number of viewers. Try again when one of them has closed the page.',
);

/** Does not blame the link, which works again once the fault is gone. */
export const INTERNAL_ERROR = plainPage(
  'Something went wrong',
  'Loupe could not answer because of an internal error. The link itself may be fine: try again in a minute.',
);
