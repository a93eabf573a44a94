// The rows of every capability of the license service.

import { settingRows } from '../platform/settings.ts';
import { staffRows } from '../platform/staff-api.ts';
import type { AdminRows, ContractRows } from '../row.ts';
import * as abuse from './abuse.ts';
import * as activations from './activations.ts';
import * as heartbeats from './heartbeats.ts';
import * as inbox from './inbox.ts';
import * as keys from './keys.ts';
import * as licenses from './licenses.ts';
import * as metrics from './metrics.ts';
import * as offlineTokens from './offline-tokens.ts';
import * as products from './products.ts';
import * as requests from './requests.ts';
import * as seats from './seats.ts';
import * as simulator from './simulator.ts';
import * as transfers from './transfers.ts';
import * as updates from './updates.ts';
import * as usage from './usage.ts';
import * as validation from './validation.ts';

export const publicRows: ContractRows = {
  ...activations.publicRows,
  ...heartbeats.publicRows,
  ...inbox.publicRows,
  ...licenses.publicRows,
  ...offlineTokens.publicRows,
  ...products.publicRows,
  ...seats.publicRows,
  ...updates.publicRows,
  ...usage.publicRows,
  ...validation.publicRows,
};

export const adminRows: AdminRows = {
  ...abuse.adminRows,
  ...simulator.adminRows,
  ...inbox.adminRows,
  ...keys.adminRows,
  ...metrics.adminRows,
  ...settingRows,
  ...staffRows,
  ...activations.adminRows,
  ...offlineTokens.adminRows,
  ...requests.adminRows,
  ...seats.adminRows,
  ...transfers.adminRows,
  ...usage.adminRows,
  ...validation.adminRows,
};
