# benign: plans a change
cd infra
terraform init -input=false
terraform plan -out=tfplan -var "region=${REGION:-eu-west-1}"
