'use client';

import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';

/** Holds the replies that `useApi` reads. The player has none: it doesn't read from this server's API. */
export function ApiCache({ children }: { children: ReactNode }) {
  const [client] = useState(newClient);
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}

function newClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // A newly opened page shows current data, not data from minutes ago.
        gcTime: 0,
        // An error is shown at once; the next poll, or the person, tries again.
        retry: false,
        // Our server is usually on this machine, so a browser that is offline can still reach it.
        networkMode: 'always',
      },
    },
  });
}
