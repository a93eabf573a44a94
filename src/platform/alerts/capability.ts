import { capability, type Job } from '#kernel/capability.ts';
import { evaluate, evaluateServer } from './alerts.ts';
import { alertBegunMail, alertOverMail } from './mails.ts';
import { alertRecord, alertServerRecord } from './record.ts';
import { alertResource } from './resource.ts';

const alertsJob: Job = {
  name: 'alerts',
  description:
    'Reports what operators must know by email, webhook and ping, once when it begins and once when it is over',
  everySeconds: 60,
  needsServer: true,
  run: evaluate,
};

const serverAlertsJob: Job = {
  name: 'server-alerts',
  description: 'Reports what is wrong with a server and its machine; every server does this for itself',
  everySeconds: 60,
  everyProcess: true,
  needsServer: true,
  run: evaluateServer,
};

export const alerts = capability({
  name: 'alerts',
  records: [alertRecord, alertServerRecord],
  resources: [alertResource],
  jobs: [alertsJob],
  staffMails: [alertBegunMail, alertOverMail],
});

/** What each of several servers on one database does beside. */
export const serverAlerts = capability({ name: 'server-alerts', jobs: [serverAlertsJob] });
