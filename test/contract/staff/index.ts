// A sample of every resource: what the tests of all resources walk.
import type { ResourceSample } from '../../support/resource-sample.ts';
import { abuseFlagSample } from './abuse-flags.ts';
import { activationSample } from './activations.ts';
import { adminTokenSample } from './admin-tokens.ts';
import { alertSample } from './alerts.ts';
import { apiKeySample } from './api-keys.ts';
import { auditSample } from './audit-log.ts';
import { customerSample } from './customers.ts';
import { eventSample } from './events.ts';
import { honeypotHitSample, honeypotSample } from './honeypots.ts';
import { inboundEventSample, integrationSample, mappingSample } from './integrations.ts';
import { jobRunSample, jobSample, taskSample } from './jobs.ts';
import { keyFormatSample } from './key-formats.ts';
import { licenseSample } from './licenses.ts';
import { policySample } from './policies.ts';
import { productSample } from './products.ts';
import { releaseSample } from './releases.ts';
import { requestSample } from './requests.ts';
import { roleSample } from './roles.ts';
import { seatSample } from './seats.ts';
import { onlineKeySample, signingKeySample } from './signing-keys.ts';
import { tenantSample } from './tenants.ts';
import { usageSample } from './usage.ts';
import { userSample } from './users.ts';
import { deliverySample, webhookDeliverySample, webhookSample } from './webhooks.ts';

export const samples: readonly ResourceSample[] = [
  abuseFlagSample,
  activationSample,
  customerSample,
  deliverySample,
  honeypotSample,
  honeypotHitSample,
  adminTokenSample,
  alertSample,
  apiKeySample,
  auditSample,
  jobSample,
  jobRunSample,
  taskSample,
  keyFormatSample,
  licenseSample,
  onlineKeySample,
  policySample,
  productSample,
  releaseSample,
  requestSample,
  roleSample,
  seatSample,
  signingKeySample,
  tenantSample,
  usageSample,
  eventSample,
  webhookSample,
  webhookDeliverySample,
  integrationSample,
  mappingSample,
  inboundEventSample,
  userSample,
];
