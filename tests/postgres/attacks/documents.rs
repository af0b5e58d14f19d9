//! Builders of hostile documents.

/// A PDF of a few hundred kilobytes whose 1,500 pages share one stream of operators.
pub fn operator_bomb() -> Vec<u8> {
    use std::io::Write;
    const N_PAGES: usize = 1_500;
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(&b"1 0 0 1 0 0 cm\n".repeat(100_000)).expect("pack");
    let stream = packer.finish().expect("pack");
    let kids: String = (0..N_PAGES).map(|page| format!("{} 0 R ", page + 4)).collect();
    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        format!("<< /Type /Pages /Count {N_PAGES} /Kids [ {kids}] >>").into_bytes(),
        [format!("<< /Length {} /Filter /FlateDecode >>\nstream\n", stream.len()).as_bytes(), &stream, b"\nendstream"]
            .concat(),
    ];
    let page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 10 10] /Contents 3 0 R /Resources << >> >>";
    objects.extend(std::iter::repeat_n(page.as_bytes().to_vec(), N_PAGES));
    file_of(&objects)
}

/// PDF of these objects; the first one is its catalogue.
pub fn file_of(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut file = b"%PDF-1.5\n".to_vec();
    let mut places = Vec::new();
    for (n, object) in objects.iter().enumerate() {
        places.push(file.len());
        file.extend(format!("{} 0 obj\n", n + 1).as_bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    let table = file.len();
    file.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).as_bytes());
    places.iter().for_each(|place| file.extend(format!("{place:010} 00000 n \n").as_bytes()));
    let trailer = format!("trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n", objects.len() + 1);
    file.extend(trailer.as_bytes());
    file
}
