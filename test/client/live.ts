// The client SDK against the real application: a customer's machine whose line can be cut.
import type { Product } from '#licensing/catalog/products/index.ts';
import { createLicenseClient } from '../../src/client/index.ts';
import { memoryStorage } from '../../src/client/memory-storage.ts';
import type { ClientOptions, ClientStorage } from '../../src/client/option-types.ts';
import type { ClientEvents, LicenseClient } from '../../src/client/types.ts';
import type { TestApp } from '../support/app.ts';
import type { DelegatedProduct } from '../support/online-key.ts';

export const machineId = 'machine-0001';

/** A machine of a customer. */
export interface Machine {
  client: LicenseClient;
  storage: ClientStorage;
  /** Status and operation of each answer that came over the wire. */
  answers: string[];
  /** Nobody can be reached. */
  cut(): void;
  mend(): void;
  heard: { event: string; value: unknown }[];
}

/** A vendor's product on a running application. */
export interface Shop {
  app: TestApp;
  product: Product;
  signer: DelegatedProduct;
  apiKey: string;
}

/**
 * Starts a client that demands signatures. Its own clock is that of the application, and may be moved away from it.
 *
 * @param options of the client; a storage that is passed in belongs to a client before
 */
export function machineOf(
  { app, product, signer, apiKey }: Shop,
  licenseKey: string | undefined,
  options: Partial<ClientOptions> = {},
): Machine {
  const answers: string[] = [];
  const heard: Machine['heard'] = [];
  let open = true;
  const storage = options.storage ?? memoryStorage();
  const client = createLicenseClient({
    baseUrl: app.url,
    product: product.slug,
    apiKey,
    licenseKey,
    machine: { id: machineId, name: 'Desk', osName: 'Linux', osVersion: '6.1' },
    rootKeys: [signer.root.publicKey.toString('base64')],
    signedResponses: 'require',
    retry: { attempts: 2, baseMs: 1, maxMs: 2 },
    now: () => app.clock.epochMs(),
    fetch: async (input, init) => {
      if (!open) throw new TypeError('fetch failed');
      const response = await fetch(input, init);
      answers.push(`${response.status} ${new URL(String(input)).pathname.split('/')[4]}`);
      return response;
    },
    ...options,
    storage,
  });
  const events: (keyof ClientEvents)[] = [
    'access',
    'deactivated',
    'seat-lost',
    'usage-warning',
    'usage-exhausted',
    'update',
    'update-frozen',
  ];
  for (const event of [...events, 'background-error' as const, 'clock-suspect' as const]) {
    client.on(event, (value) => heard.push({ event, value }));
  }
  return {
    client,
    storage,
    answers,
    heard,
    cut: () => void (open = false),
    mend: () => void (open = true),
  };
}
