Deno.serve(async (request) => {
  if (request.method !== "POST") return new Response("Only POST", { status: 405 });
  const form = await request.formData();
  if (form.get("website")) return new Response(null, { status: 204 }); // the honeypot
  console.log("message from", form.get("name"));
  return new Response("Thank you, we will write back within two days.");
});
