import type { ModelDetails } from './chat-model.ts';
import type { InstalledModel } from './installed-model.ts';
import { RecentAnswers } from './recent-answers.ts';

/** What a server recently said about itself and its models. None of it says which models are in memory. */
export class ServerFacts {
  /** The server's answer to a ping. */
  readonly pings = new RecentAnswers<{ version?: string }>();
  /** `/api/show`, by the name of the model. */
  readonly details = new RecentAnswers<ModelDetails>();
  /** `/api/show`, by the digest of the manifest. */
  readonly manifests = new RecentAnswers<ModelDetails>();
  /** `/api/tags` */
  readonly installed = new RecentAnswers<readonly InstalledModel[]>();

  /** For when the server may have been restarted or upgraded, or its models have changed. */
  forget(): void {
    for (const answers of [this.pings, this.details, this.manifests, this.installed]) answers.forget();
  }
}
