import { expect, test } from "vite-test";
import { render, type } from "view-test";
import ShipmentTable from "./ShipmentTable";

const row = (name: string) => ({ id: name, state: "bought", to: { name }, parcels: [], created_at: 0 }) as never;

test("the filter ignores case", async () => {
  const page = render(<ShipmentTable rows={[row("Ada"), row("Grace")]} loadMore={() => {}} />);
  await type(page.input, "ada");
  expect(page.rows()).toEqual(["Ada"]);
});
