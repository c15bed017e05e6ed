import { expect, type Locator, type Page } from '@playwright/test';

/** Scrolls a long text to its end, which is drawn only when in view and grows as it is drawn. */
export async function expectAtItsEnd(text: Locator, words: string): Promise<void> {
  await expect(async () => {
    await text.locator(':scope > div').evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await expect(text).toContainText(words, { timeout: 2000 });
  }).toPass({ intervals: [0], timeout: 90_000 });
}

/** The run page as a reader sees it. */
export class RunView {
  readonly page: Page;
  readonly timeline: Locator;
  /** The card that shows how the run ended. */
  readonly end: Locator;
  readonly guardrails: Locator;

  constructor(page: Page) {
    this.page = page;
    this.timeline = page.getByRole('feed', { name: /^(Timeline|Chat)$/ });
    this.end = page.getByRole('region', { name: 'How the run ended' });
    this.guardrails = page.getByRole('complementary', { name: 'Guardrails and totals' });
  }

  async open(runId: string, options: { seq?: number } = {}): Promise<void> {
    await this.page.goto(`/runs/${runId}${options.seq === undefined ? '' : `#${options.seq}`}`);
  }

  /** Switches a conversation from the chat to the timeline. */
  async showTimeline(): Promise<void> {
    await this.page.getByRole('button', { name: 'Timeline', exact: true }).click();
    await expect(this.page.getByRole('feed', { name: 'Timeline' })).toBeVisible();
  }

  /** Rows by the name that a screen reader hears, such as `read_file, succeeded` or `Model call 2`. */
  row(name: string | RegExp): Locator {
    return this.timeline.getByRole('article', { name });
  }

  /** The label of the light beside the title. */
  connection(words: string): Locator {
    return this.page.locator('[data-connection]', { hasText: words });
  }

  /** The end card, with its title. */
  async expectEnd(title: string, code: string): Promise<void> {
    await expect(this.end.getByRole('heading', { name: title })).toBeVisible({ timeout: 180_000 });
    await expect(this.end.getByText(code, { exact: true })).toBeVisible();
    await expect(this.connection('Complete')).toBeVisible();
  }

  /** Opens a menu of the end card: the steps without a separate button, or the downloads. */
  async openMenu(name: 'More' | 'Export'): Promise<Locator> {
    await this.end.getByRole('button', { name, exact: true }).click();
    return this.end.getByRole('group', { name, exact: true });
  }

  /** Takes a step that is in the menu of the end card. */
  async chooseNext(name: string | RegExp): Promise<void> {
    const menu = await this.openMenu('More');
    await menu.getByRole('button', { name, exact: true }).click();
  }

  /**
   * Scrolls down until a row is drawn, because the list draws only rows near the view; at the end it restarts from the top.
   * The list then stays there, because scrolling stops it from following the end, as a reader's wheel does.
   */
  async reveal(row: Locator): Promise<Locator> {
    await expect(async () => {
      await this.#stopFollowing();
      if ((await row.count()) === 0) {
        await this.#scrollOn({ around: true });
        // It may be further down. A row that is drawn later than this is found in the next pass.
        await row.waitFor({ state: 'attached', timeout: 100 });
      }
      await row.scrollIntoViewIfNeeded({ timeout: 3000 });
      await expect(row).toBeInViewport({ timeout: 100 });
    }).toPass({ intervals: [0], timeout: 90_000 });
    return row;
  }

  /** All rows from the first to the last, as texts: the list draws only those in view, so it is scrolled through. */
  async allRows(): Promise<Map<string, string>> {
    // A page that is still opening scrolls to its own position after the key press.
    await expect(async () => {
      // In a field, such as one in a form that was just opened, the key would be a letter.
      await this.page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
      await this.page.keyboard.press('g');
      await expect(this.timeline.locator('article').first()).toBeFocused({ timeout: 3000 });
    }).toPass({ timeout: 60_000 });
    const rows = new Map<string, string>();
    const scroller = this.timeline.locator('xpath=..');
    for (let atEnd = false; !atEnd; ) {
      atEnd = await scroller.evaluate((element) => {
        const { scrollTop, scrollHeight, clientHeight } = element;
        return scrollTop + clientHeight >= scrollHeight - 2;
      });
      const drawn = await this.timeline.locator('article').evaluateAll((articles) =>
        // `innerText`, not `textContent`: what a reader sees, line by line.
        articles.map((article) => [article.id, (article as HTMLElement).innerText] as const),
      );
      for (const [id, text] of drawn) rows.set(id, text);
      await this.#scrollOn();
    }
    return rows;
  }

  /** A wheel event with no distance. */
  async #stopFollowing(): Promise<void> {
    await this.timeline
      .locator('xpath=..')
      .evaluate((element) => element.dispatchEvent(new WheelEvent('wheel', { deltaY: -1 })));
  }

  /** `around`: a row that was added or moved above the view is found in the next pass. */
  async #scrollOn({ around = false } = {}): Promise<void> {
    await this.timeline.locator('xpath=..').evaluate(
      (element, around) =>
        new Promise<void>((drawnAgain) => {
          const { scrollTop, scrollHeight, clientHeight } = element;
          const atEnd = scrollTop + clientHeight >= scrollHeight - 2;
          element.scrollTop = around && atEnd ? 0 : scrollTop + clientHeight * 0.8;
          requestAnimationFrame(() => requestAnimationFrame(() => drawnAgain()));
        }),
      around,
    );
  }
}
