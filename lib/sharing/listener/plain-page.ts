import { createHash } from 'node:crypto';

/** The colours and the place of words that the pages of the dashboard have, with the fonts of the reader's machine. */
const STYLE = `
:root { color-scheme: light dark; background: light-dark(#f6f4f0, #141311); color: light-dark(#1f1b17, #ece7df); }
body { display: grid; align-content: center; min-height: 100vh; max-width: 28rem; margin: auto; padding: 0 1.5rem;
  box-sizing: border-box; font: 1rem/1.5 ui-sans-serif, system-ui, sans-serif; }
body::before { content: ""; width: 1.25rem; height: 1.25rem; border: 2px solid light-dark(#c48f2d, #cf9f49);
  border-radius: 50%; }
h1 { margin: 1rem 0 0.5rem; font-size: 1.375rem; line-height: 1.25; letter-spacing: -0.015em; }
p { margin: 0; color: light-dark(#544d45, #b8afa3); }
`;

/** What the policy of these pages names, since they wear this style sheet and no other. */
export const PLAIN_STYLE_HASH = `sha256-${createHash('sha256').update(STYLE).digest('base64')}`;

/** A page of words, for those who get nothing else. No script, no request. */
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

/** For wrong, expired and unknown links alike, and for every other address: nobody learns which it was. */
export const NOTHING_HERE = plainPage(
  'There is nothing at this address.',
  'The link is not whole, its time is over, or there never was one. Ask whoever sent it for a new one.',
);

export const NO_LONGER_SHARED = plainPage(
  'This run is no longer shared.',
  'The link was taken back. Ask whoever sent it for a new one.',
);
