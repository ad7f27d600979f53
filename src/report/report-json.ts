// What `report --json` prints.
import type { ReportData } from './report-data.ts';

/** The object that `report --json` prints. */
export const reportObject = ({ scenarios }: ReportData) => ({
  schema: 2,
  scenarios: Object.fromEntries(
    Object.entries(scenarios).map(([name, { figures, games = [], model = [] }]) => [
      name,
      { ...figures, games, model },
    ]),
  ),
});

/** The report as `report --json` prints it. */
export const reportJson = (data: ReportData): string => `${JSON.stringify(reportObject(data))}\n`;
