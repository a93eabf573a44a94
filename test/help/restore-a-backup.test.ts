import { testPage } from './run-page.ts';

testPage('restore-a-backup');
