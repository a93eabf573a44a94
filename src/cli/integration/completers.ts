import { completing } from '../completers.ts';
import { integrationTwins } from './twin.ts';

/** Names of the integrations. */
export const completeIntegrations = completing(integrationTwins, 'integrations', 'name');
