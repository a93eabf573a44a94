import type { ProductMapping, StoredProcessor } from './record.ts';

/** An integration as the endpoint needs it. */
export interface LiveIntegration {
  id: string;
  tenantId: string;
  name: string;
  processor: StoredProcessor;
  enabled: boolean;
  /** The current secret, then the one before it while it is valid. */
  secrets: string[];
  notificationUrl: string | null;
  mappings: ProductMapping[];
}

/** Declared path of the endpoint (spec POST /api/v1/webhooks/inbound/{configId}). */
export const endpointPath = (configId: string): string => `/api/v1/webhooks/inbound/${configId}`;

/**
 * The URL that the processor is told.
 *
 * @param baseUrl public address of the installation, without a slash at its end
 */
export const endpointUrl = (baseUrl: string, configId: string): string =>
  `${baseUrl}${endpointPath(configId)}`;
