import type { Certificate, RunningServer } from '#kernel/http/server.ts';
import type { Scheduler } from '#kernel/jobs/scheduler.ts';
import { type CertificateStatus, keepCertificate } from './certificate-keeper.ts';
import { certificateOrders } from './certificate-orders.ts';
import type { Instance } from './instance.ts';
import type { listenEverywhere } from './listening.ts';

/** The certificate of a server, whoever makes it. */
export interface KeptCertificate {
  /** What its sockets need of it. */
  readonly shown: Pick<Parameters<typeof listenEverywhere>[3], 'tls' | 'challenges'>;
  begin(servers: readonly RunningServer[]): void;
  reload(): void;
  status(): CertificateStatus | null;
  /** What is shown now. */
  pair(): Certificate | undefined;
  end(): void;
}

const WITHOUT: KeptCertificate = {
  shown: {},
  begin() {},
  reload() {},
  status: () => null,
  pair: () => undefined,
  end() {},
};

/** @param first what the server begins with; undefined without TLS */
export function keptCertificate(instance: Instance, first: Certificate | undefined): KeptCertificate {
  const { config, ctx } = instance;
  if (config.tls === undefined || first === undefined) return WITHOUT;
  const keeper = keepCertificate(config.tls, first, ctx.log);
  const orders = certificateOrders(instance, keeper.reload);
  const { proofOf, challenges } = orders ?? {};
  return {
    shown: { tls: { ...first, ...(proofOf && { proofOf }) }, ...(challenges && { challenges }) },
    begin(servers) {
      keeper.begin(servers);
      orders?.begin();
    },
    reload: keeper.reload,
    status: keeper.status,
    pair: keeper.pair,
    end() {
      keeper.end();
      orders?.end();
    },
  };
}

/** A server without a certificate does not wait for the next minute. */
export async function orderNow({ ctx, config }: Instance, scheduler: Scheduler): Promise<void> {
  if (!config.jobs.enabled) return;
  await scheduler
    .start(ctx, 'renew-certificate')
    .catch((error: unknown) => ctx.log.error({ err: error }, 'no certificate was ordered'));
}
