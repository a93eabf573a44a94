import { capability, type Job } from '#kernel/capability.ts';
import { certificateChecks } from './checks.ts';
import { acmeServerRecord, certificateRecord, challengeRecord } from './record.ts';
import { renewDue } from './renew.ts';

const RENEW_CERTIFICATE = 'renew-certificate';

const renewJob: Job = {
  name: RENEW_CERTIFICATE,
  description: 'Orders a certificate from the certificate authority when a third of its life is left',
  everySeconds: 60,
  needsServer: true,
  run: renewDue,
};

export const certificates = capability({
  name: 'certificates',
  records: [certificateRecord, challengeRecord, acmeServerRecord],
  checks: certificateChecks,
});

/** What servers with `tls.acme` do beside. */
export const certificateOrders = capability({ name: 'certificate-orders', jobs: [renewJob] });
