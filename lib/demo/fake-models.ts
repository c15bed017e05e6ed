import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { fullName, isSameInOllama, isSameModel } from '../util/model-name.ts';
import {
  type FakeModel,
  type FakeModelInput,
  fakeModel,
  type Scenario,
  type ScenarioInput,
  type SeenMessage,
  scenario as scenarioSchema,
} from './scenario.ts';

/** A model as given by a test. */
type StatedModel = z.infer<typeof fakeModel>;

/** Plays if a model has no matching scenario. */
const FALLBACK: Scenario = scenarioSchema.parse({
  name: 'fallback',
  steps: [
    {
      reply: {
        content: 'This is the fake model. It has no scenario for this conversation, so the task is done.',
      },
    },
  ],
});

/** The models and scenarios of a server: which models it has, and which scenario answers a conversation. */
export class FakeModels {
  readonly #scenarios: Scenario[];
  readonly #models: StatedModel[];

  constructor({ models = [], scenarios = [] }: { models?: FakeModelInput[]; scenarios?: ScenarioInput[] }) {
    this.#scenarios = scenarios.map((entry) => scenarioSchema.parse(entry));
    this.#models = models.map((entry) => fakeModel.parse(entry));
  }

  /** @throws if its name is taken, or if an earlier scenario of its model always shadows it */
  add(input: ScenarioInput): void {
    const scenario = scenarioSchema.parse(input);
    const inTheWay = this.#scenarios.find((earlier) => hides(earlier, scenario));
    if (!inTheWay) {
      this.#scenarios.push(scenario);
    } else if (!isDeepStrictEqual(inTheWay, scenario)) {
      throw new Error(
        `The scenario "${scenario.name}" would never be played: "${inTheWay.name}" has its name, or answers as its ` +
          'model in its place. Give it another name.',
      );
    }
  }

  forgetScenarios(): void {
    this.#scenarios.length = 0;
  }

  /** Adds a model, which replaces an earlier one of its name. */
  addModel(input: FakeModelInput): void {
    this.#models.push(fakeModel.parse(input));
  }

  scenarioFor(name: string, messages: readonly SeenMessage[], offered: readonly string[]): Scenario {
    const task = messages.find(({ role }) => role === 'user')?.content ?? '';
    const own = this.#scenarios.filter((entry) => isNamed(entry, name));
    const candidates = own.length > 0 ? own : this.#scenarios.filter((entry) => entry.match !== undefined);
    const fits = ({ match, needs_tools }: Scenario) =>
      (match === undefined || task.includes(match)) && needs_tools.every((tool) => offered.includes(tool));
    if (messages.length === 0) return own[0] ?? FALLBACK;
    return candidates.find(fits) ?? FALLBACK;
  }

  modelOf(name: string): FakeModel | undefined {
    const stated = this.#models.findLast((model) => isSameInOllama(model.name, name));
    if (stated) return this.#stored(stated);
    const scenario = this.#scenarios.find((entry) => isNamed(entry, name));
    return scenario && this.#stored(fakeModel.parse({ name, capabilities: scenario.capabilities }));
  }

  all(): FakeModel[] {
    const all = new Map(this.#models.map((model) => [fullName(model.name), model]));
    for (const entry of this.#scenarios) {
      const name = entry.model ?? entry.name;
      const { capabilities } = entry;
      if (!all.has(fullName(name))) all.set(fullName(name), fakeModel.parse({ name, capabilities }));
    }
    return [...all.values()].map((model) => this.#stored(model));
  }

  /** The stored form of a model: a copy is the other model under a new name, and `FROM` reuses the weights. */
  #stored(stated: StatedModel): FakeModel {
    const { name, copy_of: copyOf, from } = stated;
    const source = this.#sourceOf(copyOf ?? from);
    if (copyOf !== undefined && source) return { ...source, name };
    return {
      ...stated,
      digest: sha256(JSON.stringify(stated)),
      weights: source?.weights ?? sha256(`weights of ${name}`),
    };
  }

  #sourceOf(name: string | undefined): FakeModel | undefined {
    if (name === undefined) return undefined;
    const source = this.modelOf(name);
    if (!source) throw new Error(`there is no model "${name}" to copy`);
    return source;
  }
}

/** Whether an earlier scenario always shadows a later one. */
function hides(earlier: Scenario, later: Scenario): boolean {
  if (earlier.name === later.name) return true;
  const model = later.model ?? later.name;
  const answersAll = earlier.match === undefined && earlier.needs_tools.length === 0;
  return answersAll && isSameModel(earlier.model ?? earlier.name, model);
}

function isNamed(scenario: Scenario, name: string): boolean {
  return isSameModel(scenario.model ?? scenario.name, name) || name === `fake:${scenario.name}`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
