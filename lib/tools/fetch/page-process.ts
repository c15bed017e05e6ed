import { htmlToText } from 'html-to-text';
import { READY } from '../../util/ask-thread.ts';
import { errorMessage } from '../../util/error-message.ts';
import type { PageText, PageToRead } from './page-text.ts';

// The process of `textOf`.

const MAX_DEPTH = 200;
const MAX_CHILD_NODES = 20_000;
const MAX_TITLE_CHARS = 300;
/**
 * Marks parts beyond these limits. Its first character is in a private plane, which distinguishes it from text of the
 * page.
 */
const LEFT_OUT_MARK = '\u{10fffd}[…]';
/** Elements of a page that are not part of its text. */
const LEFT_OUT = ['nav', 'footer', 'aside', 'form', 'noscript', 'template', 'iframe', 'object', 'svg', 'img'];

process.once('message', (page: PageToRead) => {
  try {
    process.send?.(read(page));
  } catch (error) {
    process.send?.({ failure: errorMessage(error) });
  }
});
process.send?.(READY);

function read({ html, url }: PageToRead): PageText {
  const limits = { maxInputLength: html.length, maxDepth: MAX_DEPTH, maxChildNodes: MAX_CHILD_NODES };
  const [title = ''] = htmlToText(html, {
    baseElements: { selectors: ['title'], returnDomByDefault: false },
    wordwrap: false,
    limits,
  }).split('\n');
  const [base = ''] = htmlToText(html, {
    baseElements: { selectors: ['base[href]'], returnDomByDefault: false },
    formatters: { href: ({ attribs }, _walk, builder) => builder.addLiteral(attribs.href ?? '') },
    selectors: [{ selector: 'base', format: 'href' }],
    wordwrap: false,
    limits,
  }).split('\n');
  const from = URL.parse(base, url)?.href ?? url;
  const text = htmlToText(html, {
    wordwrap: false,
    limits: { ...limits, ellipsis: LEFT_OUT_MARK },
    selectors: [
      {
        selector: 'a',
        options: {
          pathRewrite: (href: string) => URL.parse(href, from)?.href ?? href,
          noAnchorUrl: true,
          hideLinkHrefIfSameAsText: true,
        },
      },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table'].map((selector) => ({
        selector,
        options: { uppercase: false },
      })),
      { selector: 'table', format: 'dataTable', options: { uppercaseHeaderCells: false } },
      ...LEFT_OUT.map((selector) => ({ selector, format: 'skip' })),
    ],
  });
  return {
    title: title.trim().slice(0, MAX_TITLE_CHARS).toWellFormed(),
    text: text.replaceAll(LEFT_OUT_MARK, '[…]'),
    isCut: text.includes(LEFT_OUT_MARK),
  };
}
