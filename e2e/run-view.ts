import { expect, type Locator, type Page } from '@playwright/test';

/** The run page as a reader sees it. */
export class RunView {
  readonly page: Page;
  readonly timeline: Locator;
  /** The card that says how the run ended. */
  readonly end: Locator;
  readonly guardrails: Locator;

  constructor(page: Page) {
    this.page = page;
    this.timeline = page.getByRole('feed', { name: 'Timeline' });
    this.end = page.getByRole('region', { name: 'How the run ended' });
    this.guardrails = page.getByRole('complementary', { name: 'Guardrails and totals' });
  }

  async open(runId: string, options: { seq?: number } = {}): Promise<void> {
    await this.page.goto(`/runs/${runId}${options.seq === undefined ? '' : `#${options.seq}`}`);
  }

  /** Rows by the name that a screen reader hears, such as `read_file, succeeded` or `Model call 2`. */
  row(name: string | RegExp): Locator {
    return this.timeline.getByRole('article', { name });
  }

  /** What the light beside the title says. */
  connection(words: string): Locator {
    return this.page.locator('[data-connection]', { hasText: words });
  }

  /** The end card, with its title. */
  async expectEnd(title: string, code: string): Promise<void> {
    await expect(this.end.getByRole('heading', { name: title })).toBeVisible({ timeout: 40_000 });
    await expect(this.end.getByText(code, { exact: true })).toBeVisible();
    await expect(this.connection('Complete')).toBeVisible();
  }

  /** Scrolls down until a row is drawn, as the list draws only those near the view. */
  async reveal(row: Locator): Promise<Locator> {
    await expect(async () => {
      if ((await row.count()) === 0) await this.#scrollOn();
      await row.scrollIntoViewIfNeeded({ timeout: 100 });
    }).toPass({ intervals: [0] });
    return row;
  }

  /** All rows from the first to the last, as texts: the list draws only those in view, so it is scrolled through. */
  async allRows(): Promise<Map<string, string>> {
    await this.page.keyboard.press('g');
    await expect(this.timeline.locator('article').first()).toBeFocused();
    const rows = new Map<string, string>();
    const scroller = this.timeline.locator('xpath=..');
    for (let atEnd = false; !atEnd; ) {
      atEnd = await scroller.evaluate((element) => {
        const { scrollTop, scrollHeight, clientHeight } = element;
        return scrollTop + clientHeight >= scrollHeight - 2;
      });
      const drawn = await this.timeline.locator('article').evaluateAll((articles) =>
        // biome-ignore lint/performance/useDomNodeTextContent: what a reader sees, line by line
        articles.map((article) => [article.id, (article as HTMLElement).innerText] as const),
      );
      for (const [id, text] of drawn) rows.set(id, text);
      await this.#scrollOn();
    }
    return rows;
  }

  async #scrollOn(): Promise<void> {
    await this.timeline.locator('xpath=..').evaluate(
      (element) =>
        new Promise<void>((drawnAgain) => {
          element.scrollTop += element.clientHeight * 0.8;
          requestAnimationFrame(() => requestAnimationFrame(() => drawnAgain()));
        }),
    );
  }
}
