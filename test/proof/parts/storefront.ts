// A shop under proof: an installation that sells, and charges with a stand-in for Stripe whose ledger is compared with its
// own books.
import { STRIPE_KEYS, type StripeServer } from '../../support/processors/stripe-server.ts';
import { createClient } from './client.ts';
import type { WallClock } from './faketime.ts';
import { createProduct, type Installation, installationAt } from './installation.ts';
import { command, jsonCommand, type Launch, type RunningServer, startServer } from './processes.ts';
import { Complaints, type ProofBench } from './proof.ts';

/** What staff makes, as the shop answers. */
type Made = Record<string, unknown> & { id: string };

/** A shop whose server runs. */
export interface Storefront {
  readonly installation: Installation;
  readonly server: RunningServer;
  /** Makes something as staff: `/products`, `/promotions`, `/gift-cards`. */
  make(path: string, body: object): Promise<Made>;
  /** Sells a variant with a license of a new license product. */
  license(variantId: string): Promise<void>;
  /** @returns the id of the variant of a new product of which there are so many units, each for 7.00 */
  stocked(title: string, units: number): Promise<string>;
}

/** Of everything that is sold. */
export const PRICE_CENTS = 700;

/** Charges with a stand-in for Stripe. */
export const payingBy = (stripe: StripeServer): Record<string, string> => ({
  APPCTL_SETTING_PAYMENT_PROCESSOR: 'stripe',
  APPCTL_STRIPE_API_URL: stripe.url,
  ...Object.fromEntries(
    Object.entries(STRIPE_KEYS).map(([key, value]) => [`APPCTL_SETTING_${key.toUpperCase()}`, value]),
  ),
});

/** @param env how it is paid, and what else it is to know */
export async function openStorefront(
  bench: ProofBench,
  name: string,
  env: Record<string, string>,
): Promise<Storefront> {
  const installation = installationAt(bench, name, {
    APPCTL_RATE_LIMIT: 'off',
    APPCTL_LOG_LEVEL: 'error',
    // Hundreds of shoppers have one address and one card.
    APPCTL_SETTING_PAYMENT_TRIES_EMAIL: '0',
    APPCTL_SETTING_PAYMENT_TRIES_IP: '0',
    APPCTL_SETTING_RISK_REVIEW_SCORE: '0',
    ...env,
  });
  const server = await startServer(installation.launch);
  const words = ['admin', 'token', 'create', '--name', 'proof', '--role', 'owner'];
  const { secret } = await jsonCommand<{ secret: string }>(installation.launch, words);
  const make = (path: string, body: object) => send(server.url, secret, 'POST', path, body);
  return {
    installation,
    server,
    make,
    async license(variantId) {
      const { id } = await createProduct(installation, 'sold');
      const grant = { license_product_id: id, type: 'PERPETUAL', tier: 'PERSONAL', max_activations: 2 };
      await send(server.url, secret, 'PUT', `/variants/${variantId}/license-grant`, grant);
    },
    async stocked(title, units) {
      const variant = { sku: title, price_cents: PRICE_CENTS, requires_shipping: false, stock: units };
      const product = { title, type: 'digital', status: 'active', variants: [variant] };
      const { variants } = await make('/products', product);
      return (variants as [{ id: string }])[0].id;
    },
  };
}

async function send(
  url: string,
  token: string,
  method: 'POST' | 'PUT',
  path: string,
  body: object,
): Promise<Made> {
  const client = createClient(url, 1);
  try {
    const headers = { Authorization: `Bearer ${token}` };
    const answer = await client.ask({ method, path: `/api/store${path}`, headers, body });
    if (answer.status > 201)
      throw new Error(`${method} ${path} was answered ${answer.status}: ${answer.body}`);
    return JSON.parse(answer.body).data as Made;
  } finally {
    client.close();
  }
}

/** A launch that goes by another clock. */
export const under = (launch: Launch, clock: WallClock): Launch => ({
  ...launch,
  env: { ...launch.env, ...clock.env },
});

/** Runs jobs one after the other, in processes of their own. @throws Error when one of them fails */
export async function runJobs(launch: Launch, ...names: readonly string[]): Promise<void> {
  for (const name of names) await jsonCommand(launch, ['jobs', 'run', name, '--wait']);
}

/** What the program says of the books of its shop. */
export async function askShopDoctor({ launch }: Installation): Promise<Complaints> {
  const broken = new Complaints();
  const run = await command(launch, ['doctor', 'store.money', 'store.stock', 'store.holds', '--json']);
  broken.unless(run.code === 0, () => `doctor: ${run.stdout}${run.stderr}`);
  return broken;
}
