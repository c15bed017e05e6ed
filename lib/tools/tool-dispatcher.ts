import { resultText } from '../events/conversation.ts';
import type { ToolDefinition } from '../parser/types.ts';
import type { JsonObject } from '../util/json.ts';
import type { ToolBox, ToolRun } from './tool.ts';

/** Tools whose results are plain text, as an exploration has them (O11). */
export class ToolDispatcher {
  readonly #toolbox: ToolBox;
  readonly #run: ToolRun;

  constructor(toolbox: ToolBox, run: ToolRun) {
    this.#toolbox = toolbox;
    this.#run = run;
  }

  getToolDefinitions(): readonly ToolDefinition[] {
    return this.#toolbox.definitions;
  }

  /**
   * Runs one call. Never throws: a failure is a text that begins with `Error:` (O15).
   *
   * @example await dispatcher.dispatch('read', { key: 'idea' })
   */
  async dispatch(
    name: string,
    args: JsonObject,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<string> {
    const result = await this.#toolbox.execute({ name, arguments: args }, { signal, run: this.#run });
    return resultText(result);
  }
}
