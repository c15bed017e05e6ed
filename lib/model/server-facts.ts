import type { ModelDetails } from './chat-model.ts';
import type { InstalledModel } from './installed-model.ts';
import { RecentAnswers } from './recent-answers.ts';
import type { RunningModel } from './running-model.ts';

/** A server's recent answers about itself and its models. */
export class ServerFacts {
  /** The server's answer to a ping. */
  readonly pings = new RecentAnswers<{ version?: string }>();
  /** `/api/show`, by the name of the model. */
  readonly details = new RecentAnswers<ModelDetails>();
  /** `/api/show`, by the digest of the manifest. */
  readonly manifests = new RecentAnswers<ModelDetails>();
  /** `/api/tags` */
  readonly installed = new RecentAnswers<readonly InstalledModel[]>();
  /** `/api/ps`, which is reused for a moment only. */
  readonly running = new RecentAnswers<readonly RunningModel[] | undefined>();

  /** Call when the server may have been restarted or upgraded, or its models have changed. */
  forget(): void {
    const { pings, details, manifests, installed, running } = this;
    for (const answers of [pings, details, manifests, installed, running]) answers.forget();
  }
}
