import { testPage } from './run-page.ts';

testPage('upgrade-a-server');
